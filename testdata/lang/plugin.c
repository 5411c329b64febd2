/* The plugin of dynamic.c. */
int plugin_state = 100;

int plugin_add(int n);

int plugin_add(int n)
{
	plugin_state += n;
	return plugin_state;
}
