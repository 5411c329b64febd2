int answer = 42;
int *where = &answer;
int main(void) { return answer; }
