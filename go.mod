module ampirun

go 1.26.0

require golang.org/x/sys v0.49.0

require (
	github.com/dolthub/maphash v0.1.0 // indirect
	github.com/dolthub/swiss v0.2.1 // indirect
)
