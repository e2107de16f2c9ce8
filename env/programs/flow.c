/* A flow of numbered datagrams (UDP over IPv4 or IPv6) at a constant rate, and a summary of what arrives.
 *
 *   flow send ADDRESS PORT BYTES RATE SECONDS [DSCP EVERY] [BURST]
 *   flow receive PORT IDLE_S [4|6]          the version of IP; without it 4
 *
 * The sender sends RATE datagrams a second, to a thousandth, of BYTES payload. FAST/FIRST_S/RATE
 * means FAST of them a second in the first FIRST_S seconds. Every EVERY-th one, from the first on,
 * is of class 1 and has the DSCP; all others are of class 0. All leave by one socket. A datagram
 * that is late leaves at once: the schedule does not shift. With BURST so many leave together, when
 * the last of them is due.
 *
 * The receiver takes the first flow that arrives, and ends at SIGTERM or IDLE_S seconds without a
 * datagram. Its log is a summary: one line for each run of numbers that never arrived, of which the
 * first LISTED of a class are listed, the longest always. Times are in nanoseconds since the epoch,
 * by the clock of the host that prints them; the arrival of a datagram is when the kernel got it.
 * probes/readers/flow_log.py has both logs line by line.
 *
 * All memory is static: what a flow needs is there before it begins.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>

enum { VERSION = 1, MAGIC = 0x666c6f77, MOST = 2000000, LONGEST = 1472, LISTED = 100 };
enum { BUFFER = 32 << 20, WAKE_S = 1, WINDOWS = 8 };
/* Anti-replay windows for which datagrams are counted that are so many numbers behind, or more. */
static const uint32_t WINDOW[WINDOWS] = {32, 64, 128, 192, 1024, 2048, 4096, 8129};
static const uint64_t SECOND = 1000000000u;

/* How a datagram begins; all in network byte order. `begin` is when the flow began, `rate` is in
 * datagrams per 1000 seconds, and so is `fast`, the rate of the `first` ones. */
struct head {
    uint32_t magic, number, in_class, planned, rate, first, fast, dscp, every, bytes;
    uint64_t begin, sent;
};
struct flow {
    uint32_t planned, rate, first, fast, dscp, every, bytes, burst;
    uint64_t begin;
};

static void fail(const char *format, ...) {
    va_list values;
    va_start(values, format);
    fputs("flow: ", stderr);
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
    va_end(values);
    exit(1);
}

static double number(const char *text, double least, double most, const char *what) {
    char *end;
    double value = strtod(text, &end);
    if (*end || end == text || !(value >= least && value <= most))
        fail("%s: found %s, expected %g to %g", what, text, least, most);
    return value;
}

static uint32_t whole(const char *text, double least, double most, const char *what) {
    double value = number(text, least, most, what);
    if (value != (uint32_t)value) fail("%s: found %s, expected a whole number", what, text);
    return (uint32_t)value;
}

/* Datagrams per 1000 seconds. */
static uint32_t rate_of(const char *text) {
    return (uint32_t)(number(text, 1e-3, 2e6, "rate") * 1000 + 0.5);
}

static uint64_t read_clock(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

/* Numbers and classes */

static int class_of(const struct flow *flow, uint32_t number) {
    return flow->every && number % flow->every == 0;
}

/* How many numbers below `number` are of a class. */
static uint32_t before(const struct flow *flow, int class, uint32_t number) {
    uint32_t favoured = flow->every ? (number + flow->every - 1) / flow->every : 0;
    return class ? favoured : number - favoured;
}

/* The time at which a number is due [ns after the flow began]. */
static uint64_t due(const struct flow *flow, uint32_t number) {
    uint64_t second = 1000 * SECOND, first = flow->first;
    if (number < first) return number * second / flow->fast;
    return (first ? first * second / flow->fast : 0) + (number - first) * second / flow->rate;
}

static void print_rate(const char *name, uint32_t rate) {
    printf(" %s %u", name, rate / 1000);
    if (rate % 1000) printf(".%03u", rate % 1000);
}

static void print_flow(const struct flow *flow) {
    printf("flow %llu bytes %u", (unsigned long long)flow->begin, flow->bytes);
    print_rate("rate", flow->rate);
    if (flow->first) {
        printf(" first %u", flow->first);
        print_rate("fast", flow->fast);
    }
    printf(" planned %u dscp %u every %u\n", flow->planned, flow->dscp, flow->every);
}

/* Sending */

/* Where a flow goes: an address of IPv4 or of IPv6. */
struct target {
    union {
        struct sockaddr_in four;
        struct sockaddr_in6 six;
    } address;
    socklen_t length;
    int family;
};

static struct target target_of(const char *to, uint16_t port) {
    struct target target = {.family = strchr(to, ':') ? AF_INET6 : AF_INET};
    int six = target.family == AF_INET6;
    void *address = six ? (void *)&target.address.six.sin6_addr : &target.address.four.sin_addr;
    if (inet_pton(target.family, to, address) != 1)
        fail("address: found %s, expected an address of IPv4 or IPv6", to);
    if (six) {
        target.address.six.sin6_family = AF_INET6;
        target.address.six.sin6_port = htons(port);
        target.length = sizeof target.address.six;
    } else {
        target.address.four.sin_family = AF_INET;
        target.address.four.sin_port = htons(port);
        target.length = sizeof target.address.four;
    }
    return target;
}

static int send_one(int to, const struct flow *flow, const struct target *target,
                    uint32_t number, uint64_t sent) {
    static uint8_t payload[LONGEST];
    struct head head = {htonl(MAGIC),       htonl(number),
                        htonl(before(flow, class_of(flow, number), number)),
                        htonl(flow->planned), htonl(flow->rate),
                        htonl(flow->first),  htonl(flow->fast),
                        htonl(flow->dscp),   htonl(flow->every),
                        htonl(flow->bytes),  htobe64(flow->begin),
                        htobe64(sent)};
    memcpy(payload, &head, sizeof head);
    union {
        struct cmsghdr aligned;
        char room[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct iovec part = {payload, flow->bytes};
    struct msghdr message = {.msg_name = (void *)&target->address, .msg_namelen = target->length,
                             .msg_iov = &part, .msg_iovlen = 1};
    if (class_of(flow, number)) {
        message.msg_control = control.room;
        message.msg_controllen = sizeof control.room;
        struct cmsghdr *option = CMSG_FIRSTHDR(&message);
        int six = target->family == AF_INET6;
        option->cmsg_level = six ? IPPROTO_IPV6 : IPPROTO_IP;
        option->cmsg_type = six ? IPV6_TCLASS : IP_TOS;
        option->cmsg_len = CMSG_LEN(sizeof(int));
        int tos = (int)(flow->dscp << 2);
        memcpy(CMSG_DATA(option), &tos, sizeof tos);
    }
    return sendmsg(to, &message, 0) < 0 ? -1 : 0;
}

static void send_flow(const char *to, uint32_t port, struct flow *flow) {
    struct target target = target_of(to, (uint16_t)port);
    int out = socket(target.family, SOCK_DGRAM, 0), buffer = BUFFER;
    if (out < 0) fail("no socket: %s", strerror(errno));
    setsockopt(out, SOL_SOCKET, SO_SNDBUF, &buffer, sizeof buffer);
    uint32_t sent[2] = {0}, errors[2] = {0}, latest_number = 0;
    uint64_t latest = 0, start = read_clock(CLOCK_MONOTONIC);
    int last_error = 0;
    flow->begin = read_clock(CLOCK_REALTIME);
    for (uint32_t i = 0; i < flow->planned; i++) {
        uint64_t at = start + due(flow, i - i % flow->burst + flow->burst - 1);
        struct timespec until = {(time_t)(at / SECOND), (long)(at % SECOND)};
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) {}
        uint64_t now = read_clock(CLOCK_MONOTONIC);
        if (now - at > latest) {
            latest = now - at;
            latest_number = i;
        }
        int class = class_of(flow, i);
        if (send_one(out, flow, &target, i, read_clock(CLOCK_REALTIME))) {
            errors[class]++;
            last_error = errno;
        } else {
            sent[class]++;
        }
    }
    uint64_t ended = read_clock(CLOCK_REALTIME);
    printf("flow %d send\nto %s port %u\n", VERSION, to, port);
    if (flow->burst > 1) printf("burst %u\n", flow->burst);
    print_flow(flow);
    printf("ended %llu\n", (unsigned long long)ended);
    for (int class = 0; class < 2; class++)
        printf("class %d planned %u sent %u errors %u\n", class,
               before(flow, class, flow->planned), sent[class], errors[class]);
    printf("latest %llu number %u\n", (unsigned long long)latest, latest_number);
    if (last_error) printf("error %s\n", strerror(last_error));
    puts("end");
}

/* Receiving */

static volatile sig_atomic_t stopped;
static void stop(int signal) {
    (void)signal;
    stopped = 1;
}

/* Of each number: when it arrived (0: never), and its delay. */
static uint64_t arrived[MOST];
static int64_t delays[MOST], sorted[MOST];

/* `late` counts by the numbers of the class (RFC 4737), `overtaken` by all numbers; `behind` is by
 * how many numbers a datagram was behind the greatest that had arrived, at most. */
struct class {
    uint32_t received, duplicates, late, overtaken, behind, marked, last_number, beyond[WINDOWS];
    uint64_t first, last, gap, gap_begin;
};
struct receiver {
    struct flow flow;
    struct class class[2];
    uint32_t greatest, strangers, overflow;
    int known;
};

static struct flow flow_of(const struct head *head) {
    return (struct flow){ntohl(head->planned), ntohl(head->rate),  ntohl(head->first),
                         ntohl(head->fast),    ntohl(head->dscp),  ntohl(head->every),
                         ntohl(head->bytes),   1,                  be64toh(head->begin)};
}

static int sound(const struct flow *flow) {
    return flow->planned && flow->planned <= MOST && flow->rate && (flow->fast || !flow->first) && flow->dscp < 64 && flow->bytes >= sizeof(struct head) && flow->bytes <= LONGEST;
}

static int same(const struct flow *one, const struct flow *other) {
    return one->planned == other->planned && one->rate == other->rate &&
           one->first == other->first && one->fast == other->fast &&
           one->dscp == other->dscp && one->every == other->every &&
           one->bytes == other->bytes && one->begin == other->begin;
}

static void take(struct receiver *all, const struct head *head, ssize_t bytes, uint64_t at,
                 uint32_t dscp) {
    struct flow flow = flow_of(head);
    uint32_t number = ntohl(head->number);
    if (bytes < (ssize_t)sizeof *head || ntohl(head->magic) != MAGIC || !sound(&flow) ||
        (uint32_t)bytes != flow.bytes || number >= flow.planned ||
        (all->known && !same(&flow, &all->flow)) ||
        ntohl(head->in_class) != before(&flow, class_of(&flow, number), number)) {
        all->strangers++;
        return;
    }
    all->flow = flow;
    struct class *class = &all->class[class_of(&flow, number)];
    if (arrived[number]) {
        class->duplicates++;
        return;
    }
    arrived[number] = at;
    delays[number] = (int64_t)(at - be64toh(head->sent));
    if (class->received && number < class->last_number) class->late++;
    if (all->known && number < all->greatest) {
        class->overtaken++;
        uint32_t behind = all->greatest - number;
        if (behind > class->behind) class->behind = behind;
        for (int i = 0; i < WINDOWS; i++) class->beyond[i] += behind >= WINDOW[i];
    }
    if (!all->known || number > all->greatest) all->greatest = number;
    if (!class->received || number > class->last_number) class->last_number = number;
    if (!class->received) class->first = at;
    if (class->received && at > class->last && at - class->last > class->gap) {
        class->gap = at - class->last;
        class->gap_begin = class->last;
    }
    class->last = at;
    class->marked += dscp == (class == &all->class[1] ? flow.dscp : 0);
    class->received++;
    all->known = 1;
}

/* What the kernel tells beside a datagram: when it came, its DSCP, how many found no room. */
static uint64_t beside(struct msghdr *message, uint32_t *dscp, uint32_t *overflow) {
    struct timespec stamp = {0, 0};
    for (struct cmsghdr *one = CMSG_FIRSTHDR(message); one; one = CMSG_NXTHDR(message, one)) {
        if (one->cmsg_level == SOL_SOCKET && one->cmsg_type == SCM_TIMESTAMPNS)
            memcpy(&stamp, CMSG_DATA(one), sizeof stamp);
        if (one->cmsg_level == SOL_SOCKET && one->cmsg_type == SO_RXQ_OVFL)
            memcpy(overflow, CMSG_DATA(one), sizeof *overflow);
        if (one->cmsg_level == IPPROTO_IP && one->cmsg_type == IP_TOS)
            *dscp = *(uint8_t *)CMSG_DATA(one) >> 2;
        if (one->cmsg_level == IPPROTO_IPV6 && one->cmsg_type == IPV6_TCLASS)
            *dscp = (uint32_t)*(int *)CMSG_DATA(one) >> 2;
    }
    return (uint64_t)stamp.tv_sec * SECOND + (uint64_t)stamp.tv_nsec;
}

static int bound_to(uint16_t port, int family) {
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons(port)};
    int in = socket(family, SOCK_DGRAM, 0);
    if (in < 0 || (family == AF_INET6 ? bind(in, (struct sockaddr *)&six, sizeof six)
                                      : bind(in, (struct sockaddr *)&four, sizeof four)))
        fail("port %u: %s", port, strerror(errno));
    return in;
}

static int listen_on(uint32_t port, int family) {
    int in = bound_to((uint16_t)port, family), one = 1, buffer = BUFFER;
    if (setsockopt(in, SOL_SOCKET, SO_RCVBUFFORCE, &buffer, sizeof buffer))
        setsockopt(in, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
    struct timeval wake = {WAKE_S, 0};
    if (setsockopt(in, SOL_SOCKET, SO_TIMESTAMPNS, &one, sizeof one) ||
        setsockopt(in, SOL_SOCKET, SO_RXQ_OVFL, &one, sizeof one) ||
        (family == AF_INET6
             ? setsockopt(in, IPPROTO_IPV6, IPV6_RECVTCLASS, &one, sizeof one)
             : setsockopt(in, IPPROTO_IP, IP_RECVTOS, &one, sizeof one)) ||
        setsockopt(in, SOL_SOCKET, SO_RCVTIMEO, &wake, sizeof wake))
        fail("the kernel lacks an option of sockets: %s", strerror(errno));
    return in;
}

static void receive(struct receiver *all, int in, double idle_s) {
    uint64_t quiet_since = read_clock(CLOCK_MONOTONIC);
    while (!stopped) {
        union {
            struct head head;
            uint8_t bytes[LONGEST + 1];
        } payload;
        union {
            struct cmsghdr aligned;
            char room[256];
        } control;
        struct iovec part = {&payload, sizeof payload};
        struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control.room,
                                 .msg_controllen = sizeof control.room};
        memset(&payload.head, 0, sizeof payload.head);
        ssize_t bytes = recvmsg(in, &message, 0);
        if (bytes < 0) {
            if (errno != EAGAIN && errno != EINTR) fail("cannot receive: %s", strerror(errno));
            if ((double)(read_clock(CLOCK_MONOTONIC) - quiet_since) > idle_s * 1e9) return;
            continue;
        }
        uint32_t dscp = 0;
        uint64_t at = beside(&message, &dscp, &all->overflow);
        take(all, &payload.head, bytes, at, dscp);
        quiet_since = read_clock(CLOCK_MONOTONIC);
    }
}

/* Heapsort, which needs no memory. */
static void sift(int64_t *heap, uint32_t root, uint32_t count) {
    for (uint32_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && heap[child] < heap[child + 1]) child++;
        if (heap[root] >= heap[child]) return;
        int64_t lower = heap[root];
        heap[root] = heap[child];
        heap[child] = lower;
    }
}

static void sort(int64_t *values, uint32_t count) {
    for (uint32_t i = count / 2; i-- > 0;) sift(values, i, count);
    for (uint32_t i = count; i-- > 1;) {
        int64_t greatest = values[0];
        values[0] = values[i];
        values[i] = greatest;
        sift(values, 0, i);
    }
}

/* Numbers of one class, one after the other, of which none arrived. `next` is when the number
 * behind them arrived; 0: they are the last. */
struct run {
    uint32_t first, count, first_number;
    uint64_t next;
};

static void print_run(const struct flow *flow, int class, const char *what,
                      const struct run *run) {
    printf("class %d %s %u count %u due %llu next ", class, what, run->first, run->count,
           (unsigned long long)(flow->begin + due(flow, run->first_number)));
    if (run->next)
        printf("%llu\n", (unsigned long long)run->next);
    else
        puts("none");
}

/* The first run from `number` on; its count is 0 if there is none. Moves `number` behind it. */
static struct run next_run(const struct flow *flow, int class, uint32_t *number) {
    struct run run = {0, 0, 0, 0};
    for (; *number < flow->planned; ++*number) {
        if (class_of(flow, *number) != class) continue;
        if (!arrived[*number]) {
            if (!run.count++) {
                run.first_number = *number;
                run.first = before(flow, class, *number);
            }
        } else if (run.count) {
            run.next = arrived[*number];
            return run;
        }
    }
    return run;
}

static void print_runs(const struct flow *flow, int class) {
    uint32_t runs = 0, lost = 0, rest_runs = 0, rest_lost = 0;
    struct run longest = {0, 0, 0, 0}, run;
    for (uint32_t number = 0; (run = next_run(flow, class, &number)).count; runs++) {
        lost += run.count;
        if (run.count > longest.count) longest = run;
    }
    printf("class %d missing %u runs %u\n", class, lost, runs);
    if (longest.count) print_run(flow, class, "longest", &longest);
    runs = 0;
    for (uint32_t number = 0; (run = next_run(flow, class, &number)).count; runs++) {
        if (runs < LISTED) {
            print_run(flow, class, "run", &run);
        } else {
            rest_runs++;
            rest_lost += run.count;
        }
    }
    printf("class %d unlisted %u runs %u\n", class, rest_lost, rest_runs);
}

static void print_class(const struct receiver *all, int k) {
    const struct class *class = &all->class[k];
    uint32_t count = 0;
    printf("class %d planned %u received %u duplicates %u marked %u\n", k,
           before(&all->flow, k, all->flow.planned), class->received, class->duplicates,
           class->marked);
    printf("class %d late %u overtaken %u behind %u\n", k, class->late, class->overtaken,
           class->behind);
    printf("class %d beyond", k);
    for (int i = 0; i < WINDOWS; i++) printf(" %u %u", WINDOW[i], class->beyond[i]);
    puts("");
    for (uint32_t i = 0; i < all->flow.planned; i++)
        if (arrived[i] && class_of(&all->flow, i) == k) sorted[count++] = delays[i];
    sort(sorted, count);
    if (count) {
        printf("class %d delay min %lld median %lld p99 %lld max %lld\n", k,
               (long long)sorted[0], (long long)sorted[(count - 1) / 2],
               (long long)sorted[(uint32_t)((count - 1) * 0.99)], (long long)sorted[count - 1]);
        printf("class %d first %llu last %llu gap %llu from %llu\n", k,
               (unsigned long long)class->first, (unsigned long long)class->last,
               (unsigned long long)class->gap,
               (unsigned long long)(class->gap ? class->gap_begin : class->last));
    }
    print_runs(&all->flow, k);
}

static void receive_flow(uint32_t port, double idle_s, int family) {
    static struct receiver all;
    struct sigaction action = {.sa_handler = stop};
    sigaction(SIGTERM, &action, NULL);
    int in = listen_on(port, family), buffer = 0;
    socklen_t size = sizeof buffer;
    getsockopt(in, SOL_SOCKET, SO_RCVBUF, &buffer, &size);
    printf("flow %d receive\nport %u buffer %d listening %llu\n", VERSION, port, buffer,
           (unsigned long long)read_clock(CLOCK_REALTIME));
    fflush(stdout);
    receive(&all, in, idle_s);
    printf("stopped %llu by %s\n", (unsigned long long)read_clock(CLOCK_REALTIME),
           stopped ? "signal" : "silence");
    printf("strangers %u overflow %u\n", all.strangers, all.overflow);
    if (all.known) {
        print_flow(&all.flow);
        for (int class = 0; class < 2; class++) print_class(&all, class);
    } else {
        puts("flow none");
    }
    puts("end");
}

int main(int count, char **argument) {
    if ((count == 4 || count == 5) && !strcmp(argument[1], "receive")) {
        if (count == 5 && strcmp(argument[4], "4") && strcmp(argument[4], "6"))
            fail("version: found %s, expected 4 or 6", argument[4]);
        receive_flow(whole(argument[2], 1, 65535, "port"), number(argument[3], 0.1, 1e5, "idle"),
                     count == 5 && *argument[4] == '6' ? AF_INET6 : AF_INET);
        return 0;
    }
    if (count < 7 || count > 10 || strcmp(argument[1], "send"))
        fail("usage: flow send ADDRESS PORT BYTES RATE SECONDS [DSCP EVERY] [BURST]\n"
             "       flow receive PORT IDLE_S [4|6]");
    struct flow flow = {.bytes = whole(argument[4], sizeof(struct head), LONGEST, "bytes"),
                        .burst = count % 2 ? 1 : whole(argument[count - 1], 1, MOST, "burst")};
    double seconds = number(argument[6], 1e-3, 86400, "seconds");
    char *part[] = {strtok(argument[5], "/"), strtok(NULL, "/"), strtok(NULL, "")};
    if (part[1] && !part[2]) fail("rate: found two parts, expected RATE or FAST/FIRST_S/RATE");
    if (part[2]) {
        double first_s = number(part[1], 1e-3, seconds, "first seconds");
        flow.fast = rate_of(part[0]);
        flow.first = (uint32_t)(flow.fast / 1e3 * first_s + 0.5);
        seconds -= first_s;
    }
    flow.rate = rate_of(part[2] ? part[2] : argument[5]);
    double planned = flow.first + flow.rate / 1e3 * seconds + 0.5;
    if (planned < 1 || planned > MOST)
        fail("rate x seconds: found %.0f datagrams, expected 1 to %d", planned, MOST);
    flow.planned = (uint32_t)planned;
    if (count > 8) {
        flow.dscp = whole(argument[7], 0, 63, "dscp");
        flow.every = whole(argument[8], 1, MOST, "every");
    }
    send_flow(argument[2], whole(argument[3], 1, 65535, "port"), &flow);
    return 0;
}
