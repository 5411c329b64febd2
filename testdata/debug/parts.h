extern int other_file, shared_name;
void descend(int depth, int rank, const char *mode);
