import { Fault } from '@herald/contracts/fault'
import { apart } from '@herald/service/request-id'
import type { Simulator } from './ask-simulator.ts'
import type { TakenPush } from './simulate.ts'
import { showPush, type Reach } from './simulate.ts'

/** A client that watches what virtual devices get. */
export type PushWatcher = {
  event(name: 'watching' | 'dropped' | 'waiting', data: object): void
  events(name: 'push', all: readonly object[]): void
  isBlocked(): boolean
  end(): void
}

export type SimulatorTail = {
  /**
   * Gives a function that sends a watcher the pushes since `open` was called, and gives a function that ends this. `reach` reads the app's provider
   * accounts, about every 10 s. Faults: not_found, queue_unavailable (also with too many watchers).
   */
  open(appId: string, reach: () => Promise<Reach>): Promise<(watcher: PushWatcher) => () => void>
  close(): void
}

const mostWatchers = 20
const mostPerSecond = 100
const askEveryMs = 250
/** Every this many requests to the simulator the app's accounts are read again. With four requests a second that is about every 10 s. */
const reachEvery = 40

type Tail = { last: number; dropped: number; pushes: TakenPush[] }

/**
 * Sends watchers the pushes that the simulated providers took. For each watcher the gateway asks the simulator about four times a second. A watcher
 * gets at most 100 pushes a second, the newest, and the number left out.
 */
export function openSimulatorTail({ simulator }: { simulator: Simulator }, hmacSecrets: readonly string[]): SimulatorTail {
  const watching = new Set<PushWatcher>()
  let closed = false

  const follow = (
    appId: string,
    from: { reach: Reach; last: number },
    reachNow: () => Promise<Reach>,
    watcher: PushWatcher,
  ): (() => void) => {
    if (closed || watching.size >= mostWatchers) throw new Fault('queue_unavailable', 'Too many streams are open here. Try again shortly.')
    watching.add(watcher)
    let { reach, last } = from
    let asked = 0
    let waits = false
    let window = { at: performance.now(), taken: 0 }
    let timer: NodeJS.Timeout | undefined

    const look = async () => {
      if (watcher.isBlocked()) return
      if (++asked % reachEvery === 0) reach = await reachNow()
      const now = performance.now()
      if (now - window.at >= 1_000) window = { at: now, taken: 0 }
      const tail = await simulator.ask<Tail>('GET', '/pushes/tail', {
        query: { ...reach, after: last, limit: mostPerSecond - window.taken },
      })
      last = tail.last
      window.taken += tail.pushes.length
      waits = false
      if (!watching.has(watcher)) return
      if (tail.pushes.length > 0)
        watcher.events(
          'push',
          tail.pushes.map((push) => showPush(hmacSecrets, push)),
        )
      if (tail.dropped > 0) watcher.event('dropped', { dropped: tail.dropped })
    }
    const again = async () => {
      try {
        await look()
      } catch (error) {
        if (Fault.is(error, 'not_found')) watcher.end()
        else if (!waits && watching.has(watcher)) watcher.event('waiting', { reason: 'simulator' })
        waits = true
      }
      if (watching.has(watcher)) timer = setTimeout(() => void again(), askEveryMs).unref()
    }
    watcher.event('watching', { appId, mostPerSecond })
    // The timer runs long after the request that opened the stream, so it is no part of that request's trace.
    timer = apart(() => setTimeout(() => void again(), askEveryMs).unref())
    return () => {
      watching.delete(watcher)
      clearTimeout(timer)
    }
  }

  return {
    async open(appId, reachNow) {
      const reach = await reachNow()
      const { last } = await simulator.ask<Tail>('GET', '/pushes/tail')
      return (watcher) => follow(appId, { reach, last }, reachNow, watcher)
    },
    close() {
      closed = true
      for (const watcher of watching) watcher.end()
      watching.clear()
    },
  }
}
