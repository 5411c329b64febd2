/* Remote procedure calls in C++17: ampi::rpc(rank, callable, arguments...) has a rank call a function, a lambda or a function object, and gives a
 * future for what it returns; ampi::rpc_ff does not want to know. docs/code-travels.md tells more.
 *
 * What travels: trivially copyable types, std::string, std::vector, std::pair, std::tuple, pointers to functions, and ampi::view, which the callable
 * sees without a copy. Whatever else a type consists of, it says itself by a specialization of ampi::serialization. */
#ifndef AMPIRUN_AMPI_RPC_HPP
#define AMPIRUN_AMPI_RPC_HPP

#include "ampi_rpc.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace ampi {

template <class T> class view;

/* A call failed; what it says of that is in the text. */
class error : public std::runtime_error {
public:
    error(int code, const std::string &text) : std::runtime_error(text), code_(code) {}
    int code() const { return code_; }

private:
    int code_;
};

/* A pointer is in no segment that all ranks are known to have. */
class segment_verification_error : public error {
public:
    using error::error;
};

namespace detail {

/* A code comes back where the communicator's handler is MPI_ERRORS_RETURN; the usual one ends the job. */
inline void check(int code, const char *call)
{
    if (code == MPI_SUCCESS)
        return;
    char text[MPI_MAX_ERROR_STRING];
    int n = 0;
    MPI_Error_string(code, text, &n);
    throw error(code, std::string(call) + ": " + std::string(text, static_cast<std::size_t>(n)));
}

template <class T> struct dependent_false : std::false_type {};

template <class T> constexpr bool is_view = false;
template <class T> constexpr bool is_view<view<T>> = true;
template <class T> constexpr bool is_function_pointer = std::is_pointer_v<T> && std::is_function_v<std::remove_pointer_t<T>>;

} // namespace detail

/* ---- what is written and read ---- */

class writer {
public:
    void put(const void *data, std::size_t n)
    {
        const char *at = static_cast<const char *>(data);
        bytes_.insert(bytes_.end(), at, at + n);
    }
    /* Elements of views lie where their type wants them: arguments begin at an address that is good for all. */
    void align(std::size_t n) { bytes_.resize((bytes_.size() + n - 1) / n * n); }
    const std::vector<char> &bytes() const { return bytes_; }

private:
    std::vector<char> bytes_;
};

class reader {
public:
    reader(const void *data, std::size_t n) : begin_(static_cast<const char *>(data)), at_(begin_), end_(begin_ + n) {}
    const char *take(std::size_t n)
    {
        if (n > static_cast<std::size_t>(end_ - at_))
            throw std::length_error("ampi: a message ends too early");
        const char *here = at_;
        at_ += n;
        return here;
    }
    void align(std::size_t n) { take(((static_cast<std::size_t>(at_ - begin_) + n - 1) / n * n) - static_cast<std::size_t>(at_ - begin_)); }

private:
    const char *begin_, *at_, *end_;
};

/* How a type travels: static void write(writer &, const T &) and static T read(reader &). */
template <class T, class = void> struct serialization {
    static_assert(detail::dependent_false<T>::value, "this type does not travel: specialize ampi::serialization for it");
};

template <class T> struct serialization<T, std::enable_if_t<std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> && !detail::is_view<T>>> {
    static void write(writer &w, const T &value)
    {
        if constexpr (!std::is_empty_v<T>)
            w.put(&value, sizeof value);
    }
    static T read(reader &r)
    {
        alignas(T) unsigned char room[sizeof(T)] = {};
        if constexpr (!std::is_empty_v<T>)
            std::memcpy(room, r.take(sizeof(T)), sizeof(T));
        return *std::launder(reinterpret_cast<T *>(room));
    }
};

/* Pointers to functions are found anew in the receiver's images. */
template <class T> struct serialization<T, std::enable_if_t<detail::is_function_pointer<T>>> {
    static void write(writer &w, const T &fn)
    {
        AMPI_Token token{};
        detail::check(AMPI_Token_make(reinterpret_cast<const void *>(fn), &token), "AMPI_Token_make");
        w.put(&token, sizeof token);
    }
    static T read(reader &r)
    {
        AMPI_Token token;
        void *at = nullptr;
        std::memcpy(&token, r.take(sizeof token), sizeof token);
        detail::check(AMPI_Token_pointer(&token, &at), "AMPI_Token_pointer");
        return reinterpret_cast<T>(at);
    }
};

namespace detail {

inline void write_length(writer &w, std::size_t n) { w.put(&n, sizeof n); }

inline std::size_t read_length(reader &r)
{
    std::size_t n;
    std::memcpy(&n, r.take(sizeof n), sizeof n);
    return n;
}

} // namespace detail

template <> struct serialization<std::string> {
    static void write(writer &w, const std::string &s)
    {
        detail::write_length(w, s.size());
        w.put(s.data(), s.size());
    }
    static std::string read(reader &r)
    {
        std::size_t n = detail::read_length(r);
        return std::string(r.take(n), n);
    }
};

template <class T> struct serialization<std::vector<T>> {
    static void write(writer &w, const std::vector<T> &v)
    {
        detail::write_length(w, v.size());
        for (const T &element : v)
            serialization<T>::write(w, element);
    }
    static std::vector<T> read(reader &r)
    {
        std::vector<T> v;
        for (std::size_t n = detail::read_length(r); n; n--)
            v.push_back(serialization<T>::read(r));
        return v;
    }
};

template <class A, class B> struct serialization<std::pair<A, B>, std::enable_if_t<!std::is_trivially_copyable_v<std::pair<A, B>>>> {
    static void write(writer &w, const std::pair<A, B> &p)
    {
        serialization<A>::write(w, p.first);
        serialization<B>::write(w, p.second);
    }
    static std::pair<A, B> read(reader &r)
    {
        A first = serialization<A>::read(r);
        return {std::move(first), serialization<B>::read(r)};
    }
};

template <class... T> struct serialization<std::tuple<T...>, std::enable_if_t<!std::is_trivially_copyable_v<std::tuple<T...>>>> {
    static void write(writer &w, const std::tuple<T...> &t)
    {
        std::apply([&](const T &...element) { (serialization<T>::write(w, element), ...); }, t);
    }
    static std::tuple<T...> read(reader &r) { return std::tuple<T...>{serialization<T>::read(r)...}; } /* braces: from left to right */
};

/* A row of elements that somebody else has: of the caller while it is sent, in the message while the callable runs. */
template <class T> class view {
    static_assert(std::is_trivially_copyable_v<T>, "a view is of types that can be copied as bytes");

public:
    view() = default;
    view(const T *data, std::size_t size) : data_(data), size_(size) {}
    const T *begin() const { return data_; }
    const T *end() const { return data_ + size_; }
    const T *data() const { return data_; }
    std::size_t size() const { return size_; }
    const T &operator[](std::size_t i) const { return data_[i]; }

private:
    const T *data_ = nullptr;
    std::size_t size_ = 0;
};

template <class T> view<T> make_view(const std::vector<T> &v) { return {v.data(), v.size()}; }
template <class T> view<T> make_view(const T *data, std::size_t size) { return {data, size}; }

template <class T> struct serialization<view<T>, void> {
    static_assert(alignof(T) <= 16, "elements of views are aligned to 16 bytes at most");
    static void write(writer &w, const view<T> &v)
    {
        detail::write_length(w, v.size());
        w.align(alignof(T));
        w.put(v.data(), v.size() * sizeof(T));
    }
    static view<T> read(reader &r)
    {
        std::size_t n = detail::read_length(r);
        r.align(alignof(T));
        if (n > SIZE_MAX / sizeof(T))
            throw std::length_error("ampi: a view is longer than memory");
        return {reinterpret_cast<const T *>(r.take(n * sizeof(T))), n};
    }
};

/* ---- futures ---- */

template <class... T> class future;

namespace detail {

/* What a future has in common with its copies, and with what is to come of it. */
template <class... T> struct state {
    std::optional<std::tuple<T...>> value;
    std::exception_ptr failure;
    std::function<void()> advance; /* look whether it is ready; empty once it is */
    std::vector<std::function<void()>> next;

    bool is_ready() const { return value.has_value() || failure; }
    void finish()
    {
        advance = nullptr;
        auto all = std::move(next);
        next.clear();
        for (auto &f : all)
            f();
    }
    void set(std::tuple<T...> v)
    {
        value.emplace(std::move(v));
        finish();
    }
    void fail(std::exception_ptr e)
    {
        failure = e;
        finish();
    }
    void look()
    {
        if (!is_ready() && advance) {
            auto f = advance; /* it may end itself */
            f();
        }
    }
    template <class F> void when_ready(F f)
    {
        if (is_ready())
            f();
        else
            next.push_back(std::move(f));
    }
};

template <class R> struct future_of { using type = future<R>; };
template <> struct future_of<void> { using type = future<>; };
template <class... T> struct future_of<future<T...>> { using type = future<T...>; };

} // namespace detail

/* Values that will be there. All copies mean the same. Only the rank that has made it uses a future. */
template <class... T> class future {
public:
    using state_type = detail::state<T...>;
    explicit future(std::shared_ptr<state_type> s) : state_(std::move(s)) {}

    bool is_ready() const
    {
        state_->look();
        return state_->is_ready();
    }

    /* Wait, and give the value: nothing, the only one, or a tuple. Throws what the call failed of. */
    auto wait() const
    {
        while (!is_ready())
            detail::check(AMPI_Rpc_progress(AMPI_RPC_IN_CALLS), "AMPI_Rpc_progress");
        if (state_->failure)
            std::rethrow_exception(state_->failure);
        if constexpr (sizeof...(T) == 1)
            return std::get<0>(*state_->value);
        else if constexpr (sizeof...(T) > 1)
            return *state_->value;
    }

    /* Call f with the values once they are there, in is_ready or wait of this future, of the new one, or of another that depends on it. The new future is
     * for what f returns; one that f returns is waited for. */
    template <class F> auto then(F f) const
    {
        using result = std::invoke_result_t<F, T...>;
        using next_future = typename detail::future_of<result>::type;
        auto next = std::make_shared<typename next_future::state_type>();
        auto mine = state_;
        next->advance = [mine] { mine->look(); };
        mine->when_ready([mine, next, f = std::move(f)]() mutable {
            if (mine->failure)
                next->fail(mine->failure);
            else
                carry_on<result>(*mine->value, *next, next, f);
        });
        return next_future(next);
    }

    const std::shared_ptr<state_type> &shared() const { return state_; }

private:
    template <class R, class Next, class F> static void carry_on(const std::tuple<T...> &value, Next &next, const std::shared_ptr<Next> &shared, F &f)
    {
        try {
            if constexpr (std::is_void_v<R>) {
                std::apply(f, value);
                next.set({});
            } else if constexpr (std::is_same_v<typename detail::future_of<R>::type, R>) {
                follow(std::apply(f, value).shared(), shared);
            } else {
                next.set(std::tuple<R>(std::apply(f, value)));
            }
        } catch (...) {
            if (next.is_ready())
                throw; /* of what comes after */
            next.fail(std::current_exception());
        }
    }

    template <class Inner, class Next> static void follow(const std::shared_ptr<Inner> &inner, const std::shared_ptr<Next> &next)
    {
        next->advance = [inner] { inner->look(); };
        inner->when_ready([inner, next] {
            if (inner->failure)
                next->fail(inner->failure);
            else
                next->set(*inner->value);
        });
    }

    std::shared_ptr<state_type> state_;
};

template <class... T> future<T...> make_future(T... value)
{
    auto s = std::make_shared<detail::state<T...>>();
    s->set(std::tuple<T...>(std::move(value)...));
    return future<T...>(s);
}

inline future<> when_all() { return make_future<>(); }

template <class... T> future<T...> when_all(future<T...> one) { return one; }

/* A future for the values of both, and so on. */
template <class... A, class... B, class... More> auto when_all(future<A...> a, future<B...> b, More... more)
{
    auto both = std::make_shared<detail::state<A..., B...>>();
    auto x = a.shared();
    auto y = b.shared();
    both->advance = [x, y] {
        x->look();
        y->look();
    };
    auto look = [both, x, y] {
        if (both->is_ready() || !x->is_ready() || !y->is_ready())
            return;
        if (x->failure || y->failure)
            both->fail(x->failure ? x->failure : y->failure);
        else
            both->set(std::tuple_cat(*x->value, *y->value));
    };
    x->when_ready(look);
    y->when_ready(look);
    return when_all(future<A..., B...>(both), more...);
}

/* ---- calls ---- */

namespace detail {

template <class F> using stored = std::conditional_t<std::is_function_v<std::remove_reference_t<F>>, std::decay_t<F>, std::remove_cv_t<std::remove_reference_t<F>>>;

template <class F, class... A> auto call_with(reader &r)
{
    F f = serialization<F>::read(r);
    std::tuple<A...> arguments{serialization<A>::read(r)...};
    return std::apply(f, std::move(arguments));
}

/* Answers are a byte that says how it went, then the value or a text. They may be of any length: what does not fit is kept by the callee until it is
 * fetched. */
enum : char { VALUE, THROWN };

template <class F, class... A> void run_one_way(const void *data, std::size_t n, int, MPI_Comm)
{
    reader r(data, n);
    call_with<F, A...>(r);
}

struct answer_head {
    char how;
    char is_kept;
    std::size_t length; /* of what follows, or of what is kept */
    std::size_t number;
};

/* Answers that were too long for the first message, by number. */
struct kept_answers {
    std::vector<std::pair<std::size_t, std::vector<char>>> all;
    std::size_t last = 0;
};

inline kept_answers &kept()
{
    static kept_answers k;
    return k;
}

inline std::size_t give(char how, const std::vector<char> &bytes, void *reply, std::size_t capacity)
{
    answer_head head{how, 0, bytes.size(), 0};
    if (sizeof head + bytes.size() > capacity) {
        head.is_kept = 1;
        head.number = ++kept().last;
        kept().all.emplace_back(head.number, bytes);
    }
    std::memcpy(reply, &head, sizeof head);
    if (head.is_kept)
        return sizeof head;
    if (!bytes.empty())
        std::memcpy(static_cast<char *>(reply) + sizeof head, bytes.data(), bytes.size());
    return sizeof head + bytes.size();
}

inline std::size_t fetch_kept(const void *arg, std::size_t, void *reply, std::size_t, int, MPI_Comm)
{
    std::size_t number;
    std::memcpy(&number, arg, sizeof number);
    auto &all = kept().all;
    for (auto at = all.begin(); at != all.end(); ++at) {
        if (at->first != number)
            continue;
        std::size_t n = at->second.size();
        std::memcpy(reply, at->second.data(), n);
        all.erase(at);
        return n;
    }
    return 0;
}

template <class F, class... A> std::size_t run(const void *data, std::size_t n, void *reply, std::size_t capacity, int, MPI_Comm)
{
    using result = std::invoke_result_t<F &, A...>;
    writer w;
    try {
        reader r(data, n);
        if constexpr (std::is_void_v<result>)
            call_with<F, A...>(r);
        else
            serialization<std::decay_t<result>>::write(w, call_with<F, A...>(r));
    } catch (const std::exception &e) {
        std::string text = e.what();
        return give(THROWN, std::vector<char>(text.begin(), text.end()), reply, capacity);
    }
    return give(VALUE, w.bytes(), reply, capacity);
}

/* A call under way. */
struct pending {
    static constexpr std::size_t FIRST = 512; /* room for an answer in the first message */
    std::vector<char> argument;
    std::vector<char> reply;
    std::size_t length;
    MPI_Request request = MPI_REQUEST_NULL;
    std::size_t number = 0;
    answer_head head{};
    bool fetching = false;

    pending() : reply(FIRST), length(FIRST) {}

    /* True: the whole answer is there. */
    bool look(int rank, MPI_Comm comm)
    {
        int flag = 0;
        check(MPI_Test(&request, &flag, MPI_STATUS_IGNORE), "ampi::rpc");
        if (!flag)
            return false;
        if (fetching)
            return true;
        std::memcpy(&head, reply.data(), sizeof head);
        if (!head.is_kept) {
            reply.erase(reply.begin(), reply.begin() + sizeof head);
            return true;
        }
        fetching = true;
        number = head.number;
        reply.assign(head.length, 0);
        length = head.length;
        check(AMPI_Irpc(rank, fetch_kept, &number, sizeof number, reply.data(), &length, comm, &request), "ampi::rpc");
        return false;
    }
};

template <class R> struct result_state { using type = state<std::decay_t<R>>; };
template <> struct result_state<void> { using type = state<>; };

template <class R, class State> void deliver(State &s, const pending &p)
{
    if (p.head.how == THROWN) {
        s.fail(std::make_exception_ptr(error(MPI_ERR_OTHER, std::string(p.reply.begin(), p.reply.begin() + static_cast<std::ptrdiff_t>(p.head.length)))));
        return;
    }
    if constexpr (std::is_void_v<R>) {
        s.set({});
    } else {
        reader r(p.reply.data(), p.head.length);
        s.set(std::tuple<std::decay_t<R>>(serialization<std::decay_t<R>>::read(r)));
    }
}

/* With verification enforced, what is not verified is an exception of its own. */
inline void check_function(const void *fn)
{
    int enforced = 0;
    check(AMPI_Rpc_verification_enforced(&enforced), "AMPI_Rpc_verification_enforced");
    if (!enforced)
        return;
    AMPI_Token token;
    MPI_Errhandler before;
    MPI_Comm_get_errhandler(MPI_COMM_SELF, &before);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    int code = AMPI_Token_make(fn, &token);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, before);
    if (before != MPI_ERRORS_ARE_FATAL && before != MPI_ERRORS_RETURN && before != MPI_ERRORS_ABORT)
        MPI_Errhandler_free(&before);
    if (code != MPI_SUCCESS)
        throw segment_verification_error(code, "ampi::rpc: the function is in a segment that is not verified, and verification is enforced");
}

template <class F, class... A> std::vector<char> pack(const F &f, const A &...arguments)
{
    writer w;
    serialization<F>::write(w, f);
    (serialization<A>::write(w, arguments), ...);
    return w.bytes();
}

} // namespace detail

/* Have a rank of a communicator call f(arguments...), and do not wait. */
template <class F, class... A> void rpc_ff(MPI_Comm comm, int rank, F &&f, A &&...arguments)
{
    using callable = detail::stored<F>;
    AMPI_Rpc_fn fn = detail::run_one_way<callable, std::decay_t<A>...>;
    detail::check_function(reinterpret_cast<const void *>(fn));
    std::vector<char> bytes = detail::pack<callable, std::decay_t<A>...>(f, arguments...);
    detail::check(AMPI_Rpc_ff(rank, fn, bytes.data(), bytes.size(), comm), "ampi::rpc_ff");
}

template <class F, class... A> void rpc_ff(int rank, F &&f, A &&...arguments)
{
    rpc_ff(MPI_COMM_WORLD, rank, std::forward<F>(f), std::forward<A>(arguments)...);
}

/* The same, with a future for what it returns. What it throws, wait throws as ampi::error. */
template <class F, class... A> auto rpc(MPI_Comm comm, int rank, F &&f, A &&...arguments)
{
    using callable = detail::stored<F>;
    using result = std::invoke_result_t<callable &, std::decay_t<A>...>;
    using state_type = typename detail::result_state<result>::type;
    using future_type = typename detail::future_of<std::conditional_t<std::is_void_v<result>, void, std::decay_t<result>>>::type;
    AMPI_Rpc_reply_fn fn = detail::run<callable, std::decay_t<A>...>;
    detail::check_function(reinterpret_cast<const void *>(fn));
    auto p = std::make_shared<detail::pending>();
    p->argument = detail::pack<callable, std::decay_t<A>...>(f, arguments...);
    detail::check(AMPI_Irpc(rank, fn, p->argument.data(), p->argument.size(), p->reply.data(), &p->length, comm, &p->request), "ampi::rpc");
    auto s = std::make_shared<state_type>();
    state_type *raw = s.get(); /* what looks belongs to the state itself */
    s->advance = [raw, p, rank, comm] {
        try {
            if (p->look(rank, comm))
                detail::deliver<result>(*raw, *p);
        } catch (...) {
            if (raw->is_ready())
                throw;
            raw->fail(std::current_exception());
        }
    };
    return future_type(s);
}

template <class F, class... A> auto rpc(int rank, F &&f, A &&...arguments)
{
    return rpc(MPI_COMM_WORLD, rank, std::forward<F>(f), std::forward<A>(arguments)...);
}

/* ---- segments ---- */

namespace relocation {

template <class R, class... A> void verify_segment(R (*fn)(A...), MPI_Comm comm = MPI_COMM_WORLD)
{
    int code = AMPI_Rpc_verify_segment(reinterpret_cast<const void *>(fn), comm);
    if (code != MPI_SUCCESS)
        throw segment_verification_error(code, "ampi: the segment was not found on all ranks");
}

inline void verify_all(MPI_Comm comm = MPI_COMM_WORLD) { detail::check(AMPI_Rpc_verify_all(comm), "ampi::relocation::verify_all"); }

inline bool enforce_verification(bool flag)
{
    int before = 0;
    detail::check(AMPI_Rpc_enforce_verification(flag, &before), "ampi::relocation::enforce_verification");
    return before;
}

inline bool verification_enforced()
{
    int flag = 0;
    detail::check(AMPI_Rpc_verification_enforced(&flag), "ampi::relocation::verification_enforced");
    return flag;
}

inline std::string debug_text(int what, const void *pointer, bool color)
{
    std::size_t n = 0, again = 0;
    detail::check(AMPI_Rpc_debug_text(what, pointer, color, nullptr, 0, &n), "AMPI_Rpc_debug_text");
    std::string text(n + 1, '\0');
    detail::check(AMPI_Rpc_debug_text(what, pointer, color, text.data(), text.size(), &again), "AMPI_Rpc_debug_text");
    text.resize(again < n ? again : n);
    return text;
}

template <class R, class... A> void debug_write_ptr(R (*fn)(A...), std::ostream &out, bool color = false)
{
    out << debug_text(AMPI_RPC_POINTER, reinterpret_cast<const void *>(fn), color);
}
template <class R, class... A> void debug_write_ptr(R (*fn)(A...), int fd = 2, int color = 2)
{
    detail::check(AMPI_Rpc_debug_write_ptr(reinterpret_cast<const void *>(fn), fd, color), "debug_write_ptr");
}
inline void debug_write_segment_table(std::ostream &out, bool color = false) { out << debug_text(AMPI_RPC_TABLE, nullptr, color); }
inline void debug_write_segment_table(int fd = 2, int color = 2) { detail::check(AMPI_Rpc_debug_write_segment_table(fd, color), "debug_write_segment_table"); }
inline void debug_write_cache(std::ostream &out) { out << debug_text(AMPI_RPC_CACHE, nullptr, false); }
inline void debug_write_cache(int fd = 2) { detail::check(AMPI_Rpc_debug_write_cache(fd), "debug_write_cache"); }

} // namespace relocation

} // namespace ampi

#endif
