// REDLOCK_API marks what the shared library exports; everything else is hidden.

#ifndef REDLOCK_EXPORT_H
#define REDLOCK_EXPORT_H

#define REDLOCK_API [[gnu::visibility("default")]]

#endif  // REDLOCK_EXPORT_H
