package vrank

// DeadlockReport is for tests that need a job of the harness, which imports this package.
var DeadlockReport = deadlockReport
