/* A library for ITGSend (LD_PRELOAD): what one call sends by TCP, no packet shares with another call.
 *
 * With TCP_NODELAY a write still waits while the window is closed or the device is busy, and Linux
 * appends later writes to the last segment that waits, more of them the slower the path is.
 * MSG_EOR closes a segment at the end of its write (tcp_sendmsg_locked in the kernel's tcp.c).
 */
#include <sys/socket.h>

ssize_t send(int to, const void *bytes, size_t length, int flags) {
    return sendto(to, bytes, length, flags | MSG_EOR, 0, 0);
}
