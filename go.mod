module ampirun

go 1.26
