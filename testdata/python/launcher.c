/* A Python interpreter for ranks: Debian's own program is not position independent, but its library is. */
int Py_BytesMain(int argc, char **argv);

int main(int argc, char **argv)
{
	return Py_BytesMain(argc, argv);
}
