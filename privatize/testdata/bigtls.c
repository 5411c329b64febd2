__thread char big[1000000];
int main(int argc, char **argv) { (void)argv; return big[argc]; }
