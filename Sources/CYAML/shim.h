// libyaml as it is installed (Debian: libyaml-dev). Nothing of our own is added here.
#include <yaml.h>
