// Do the C++ library's threads work in ranks: std::thread, async, call_once, condition variables, thread_local objects with destructors in each thread?
// build: $CC -pthread cxx_threads.cpp
#include "check.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <future>
#include <iostream>
#include <mutex>
#include <queue>
#include <shared_mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace {

std::atomic<int> made{0}, destroyed{0};

struct Tracked {
	Tracked() : text(std::string(40, 'a' + rank % 26)) { made++; }
	~Tracked() { destroyed += text == std::string(40, 'a' + rank % 26); }
	std::string text;
};

thread_local Tracked tracked;
thread_local int number = 7;

// Objects of the main thread are destroyed at its end, those of others at theirs.
void objects_of_threads()
{
	CHECK(tracked.text.size() == 40 && made == 1);
	std::vector<std::thread> threads;
	std::atomic<int> good{0};
	for (int i = 0; i < 3; i++)
		threads.emplace_back([&good, i] {
			number += i;
			good += tracked.text.size() == 40 && number == 7 + i;
		});
	check_others_run();
	for (auto &t : threads)
		t.join();
	CHECK(good == 3 && made == 4 && destroyed == 3 && number == 7);
}

void futures()
{
	auto later = std::async(std::launch::async, [](int n) { return std::to_string(n * rank); }, 11);
	auto lazy = std::async(std::launch::deferred, [] { return rank; });
	auto fails = std::async(std::launch::async, []() -> int { throw std::runtime_error("rank " + std::to_string(rank)); });
	check_others_run();
	CHECK(later.get() == std::to_string(11 * rank) && lazy.get() == rank);
	try {
		fails.get();
		CHECK(!"not reached");
	} catch (const std::runtime_error &e) {
		CHECK(e.what() == "rank " + std::to_string(rank));
	}
	std::promise<int> promise;
	auto future = promise.get_future();
	std::thread setter([&promise] {
		std::this_thread::sleep_for(std::chrono::milliseconds(5));
		promise.set_value(rank);
	});
	CHECK(future.wait_for(std::chrono::seconds(20)) == std::future_status::ready && future.get() == rank);
	setter.join();
	std::packaged_task<int()> task([] { return rank + 1; });
	auto result = task.get_future();
	std::thread(std::move(task)).join();
	CHECK(result.get() == rank + 1);
}

// A queue between threads, whose consumer is the rank's first thread, which also calls MPI meanwhile.
void conditions()
{
	std::mutex mutex;
	std::condition_variable filled, emptied;
	std::queue<int> queue;
	std::thread producer([&] {
		for (int i = 0; i < 50; i++) {
			std::unique_lock<std::mutex> lock(mutex);
			emptied.wait(lock, [&] { return queue.size() < 5; });
			queue.push(i + rank);
			filled.notify_one();
		}
	});
	for (int i = 0; i < 50; i++) {
		std::unique_lock<std::mutex> lock(mutex);
		CHECK(filled.wait_for(lock, std::chrono::seconds(20), [&] { return !queue.empty(); }));
		CHECK(queue.front() == i + rank);
		queue.pop();
		emptied.notify_one();
		lock.unlock();
		if (i % 10 == 0)
			check_others_run();
	}
	producer.join();
}

std::once_flag once;
int first_time;

int &singleton()
{
	static int value = (std::this_thread::sleep_for(std::chrono::milliseconds(2)), first_time++, 100 + rank);
	return value;
}

void once_only()
{
	std::vector<std::thread> threads;
	std::atomic<int> sum{0};
	std::shared_timed_mutex shared;
	std::recursive_mutex recursive;
	int guarded = 0, calls = 0;
	for (int i = 0; i < 4; i++)
		threads.emplace_back([&] {
			std::call_once(once, [&] { calls++; });
			sum += singleton();
			for (int k = 0; k < 20; k++) {
				std::unique_lock<std::shared_timed_mutex> w(shared);
				std::lock_guard<std::recursive_mutex> a(recursive), b(recursive);
				guarded++;
			}
			std::shared_lock<std::shared_timed_mutex> r(shared);
			sum += guarded > 0;
		});
	for (auto &t : threads)
		t.join();
	CHECK(calls == 1 && first_time == 1 && sum == 4 * (100 + rank) + 4 && guarded == 80);
	try {
		std::call_once(*new std::once_flag, [] { throw 3; });
		CHECK(!"not reached");
	} catch (int three) {
		CHECK(three == 3);
	}
}

void exceptions_in_threads()
{
	std::vector<std::thread> threads;
	std::atomic<int> caught{0};
	for (int i = 0; i < 3; i++)
		threads.emplace_back([&caught, i] {
			for (int k = 0; k < 20; k++)
				try {
					throw std::to_string(i * 100 + k);
				} catch (const std::string &s) {
					caught += s == std::to_string(i * 100 + k);
				}
		});
	try {
		throw rank;
	} catch (int r) {
		check_others_run();
		for (auto &t : threads)
			t.join();
		CHECK(r == rank);
	}
	CHECK(caught == 60);
}

void detached()
{
	auto done = std::make_shared<std::promise<int>>();
	auto result = done->get_future();
	std::thread([done] { done->set_value_at_thread_exit(5); }).detach();
	CHECK(result.get() == 5);
	std::ostringstream id;
	id << std::this_thread::get_id();
	CHECK(!id.str().empty() && std::thread::hardware_concurrency() >= 1);
}

} // namespace

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	objects_of_threads();
	futures();
	conditions();
	once_only();
	exceptions_in_threads();
	detached();
	return check_end("cxx_threads");
}
