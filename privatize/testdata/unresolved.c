int nobody_has_this(void);
int nor_this(void);
int main(void) { return nobody_has_this() + nor_this(); }
