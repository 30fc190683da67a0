import { expect, test } from 'vitest'
import { openTurnTime } from './turn-time.ts'

function spin(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

test('ten pieces of work of half a second leave the event loop turns every few milliseconds, each its own', async () => {
  const turnTime = openTurnTime(2)
  const order: number[] = []
  let ended = 0
  const work = async (no: number) => {
    for (let step = 0; step < 50; step += 1) {
      if (turnTime.isUsedUp(performance.now())) await turnTime.next()
      order.push(no)
      spin(1)
    }
    ended += 1
  }
  let turns = 0
  const working = Promise.all(Array.from({ length: 10 }, (_, no) => work(no)))
  while (ended < 10) {
    turns += 1
    await new Promise((resolve) => setTimeout(resolve, 0))
  }
  await working
  // 500 ms in pieces of 1 ms, of which at most three fit into one turn.
  expect(turns).toBeGreaterThanOrEqual(150)
  // Nobody is overtaken: among the first 60 pieces everybody has some.
  expect(new Set(order.slice(0, 60)).size).toBe(10)
})
