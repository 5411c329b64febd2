! Units open in all ways, written and read a little in each round: for jobs that are killed and go on. Arguments: rounds, a directory.
program units
    use mpi
    implicit none
    integer :: rank, ierr, round, rounds, i, number, position
    character(len=200) :: dir, text
    character(len=40) :: line

    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call get_command_argument(1, text)
    read (text, *) rounds
    call get_command_argument(2, dir)
    open (11, file=name('sequential'), action='readwrite', form='formatted', status='replace')
    open (12, file=name('unformatted'), action='write', form='unformatted', status='replace')
    open (13, file=name('direct'), access='direct', recl=64, form='unformatted', status='replace')
    open (14, file=name('stream'), access='stream', form='unformatted', status='replace')
    open (15, status='scratch')
    do round = 1, rounds
        write (11, '(a,i0,a,i0)') 'rank ', rank, ' round ', round
        write (12) round, real(rank, 8) / round
        write (13, rec=round) round * 3 + rank
        read (13, rec=(round + 1) / 2) number
        call check(number == (round + 1) / 2 * 3 + rank, 'direct')
        inquire (14, pos=position)
        call check(position == 4 * (round - 1) + 1, 'position')
        write (14) round
        write (15, *) round
        open (16, file=name('appended'), position='append', action='write')
        write (16, *) round
        close (16)
        call execute_pause()
    end do
    rewind (11)
    rewind (15)
    close (12)
    open (12, file=name('unformatted'), action='read', form='unformatted', status='old')
    open (16, file=name('appended'), action='read')
    do round = 1, rounds
        read (11, '(a)') line
        write (text, '(a,i0,a,i0)') 'rank ', rank, ' round ', round
        call check(line == text, 'sequential')
        read (12) number
        call check(number == round, 'unformatted')
        read (14, pos=4 * (round - 1) + 1) number
        call check(number == round, 'stream')
        read (15, *) number
        call check(number == round, 'scratch')
        read (16, *) number
        call check(number == round, 'appended')
    end do
    read (16, *, iostat=i) number
    call check(i < 0, 'end of appended')
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    if (rank == 0) print '(a)', 'PASS units'
    call MPI_Finalize(ierr)

contains

    function name(what) result(path)
        character(len=*), intent(in) :: what
        character(len=300) :: path
        write (path, '(a,a,a,i0)') trim(dir), '/', what, rank
    end function

    subroutine check(good, what)
        logical, intent(in) :: good
        character(len=*), intent(in) :: what
        if (good) return
        print '(a,i0,a,i0,2a)', 'FAIL units: rank ', rank, ' round ', round, ': ', what
        call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
    end subroutine

    subroutine execute_pause()
        use iso_c_binding
        interface
            integer(c_int) function usleep(us) bind(c)
                import c_int
                integer(c_int), value :: us
            end function
        end interface
        integer(c_int) :: ignored
        ignored = usleep(5000_c_int)
        call MPI_Barrier(MPI_COMM_WORLD, ierr)
    end subroutine
end program
