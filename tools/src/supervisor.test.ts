import { spawn, type ChildProcess } from 'node:child_process'
import { afterEach, expect, test } from 'vitest'
import { countDeath, restartDelayMs, supervise, type Supervised, type Unit, type Watchers } from './supervisor.ts'

const started: Supervised[] = []
afterEach(async () => {
  await Promise.all(started.splice(0).map((supervised) => supervised.stop(1_000)))
})

/** Makes a unit whose process runs this code and is ready when it prints something. Records the calls of the unit's watchers. */
function given(code: string) {
  const children: ChildProcess[] = []
  const deaths: { how: string; againInMs: number }[] = []
  let tell: () => void = () => undefined
  const unit: Unit = {
    name: 'sample',
    stopSignal: 'SIGTERM',
    killSignal: 'SIGKILL',
    start(onSpawn) {
      const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'ignore'] })
      onSpawn(child)
      return new Promise((resolve, reject) => {
        child.stdout.once('data', () => resolve())
        child.once('exit', () => reject(new Error('ended before it was ready')))
      })
    },
  }
  const watchers: Watchers = {
    onSpawn: (_unit, child) => {
      children.push(child)
      tell()
    },
    onGone: () => undefined,
    onDeath: (_unit, how, againInMs) => void deaths.push({ how, againInMs }),
  }
  const start = (firstTries = 1) => {
    const supervised = supervise(unit, watchers, firstTries)
    started.push(supervised)
    return supervised
  }
  const spawned = async (count: number) => {
    while (children.length < count) await new Promise<void>((resolve) => (tell = resolve))
    return children[count - 1]!
  }
  return { start, spawned, children, deaths }
}

const runs = `console.log('ready'); setInterval(() => {}, 1000)`

test('a process that is killed is started again, after a longer wait each time', async () => {
  const sample = given(runs)
  await sample.start().ready

  const first = await sample.spawned(1)
  first.kill('SIGKILL')
  const second = await sample.spawned(2)
  second.kill('SIGKILL')
  await sample.spawned(3)

  expect(sample.deaths.map(({ againInMs }) => againInMs)).toEqual([200, 400])
  expect(sample.deaths[0]?.how).toBe('was ended by SIGKILL')
})

test('a process that is to stop gets its signal first, and is not started again', async () => {
  const sample = given(`process.on('SIGTERM', () => process.exit(7)); ${runs}`)
  const supervised = sample.start()
  await supervised.ready

  await supervised.stop(5_000)

  expect(sample.children.map((child) => child.exitCode)).toEqual([7])
  expect(sample.deaths).toEqual([])
})

test('a process that does not stop within its limit is killed', async () => {
  const sample = given(`process.on('SIGTERM', () => {}); ${runs}`)
  const supervised = sample.start()
  await supervised.ready

  await supervised.stop(50)

  expect(sample.children[0]?.signalCode).toBe('SIGKILL')
})

test('the starter gives up a process that was never ready after the allowed number of starts', async () => {
  const sample = given(`process.exit(1)`)

  await expect(sample.start(2).ready).rejects.toThrow('ended before it was ready')
  expect(sample.children).toHaveLength(2)
})

test('a process that is stopped during its start ends, and is not started again', async () => {
  const sample = given(`setInterval(() => {}, 1000)`)
  const supervised = sample.start(4)
  const outcome = supervised.ready.catch((error: Error) => error.message)
  await sample.spawned(1)

  await supervised.stop(1_000)

  expect(await outcome).toBe('ended before it was ready')
  expect(sample.children).toHaveLength(1)
})

// spec: running/restarted
test('the wait before a restart begins at 0.2 s, doubles with each death, and is never more than 5 s', () => {
  expect([1, 2, 3, 4, 5, 6, 7, 50].map(restartDelayMs)).toEqual([200, 400, 800, 1_600, 3_200, 5_000, 5_000, 5_000])
})

// spec: running/restarted
test('a process that ran for at least 10 s is restarted after 0.2 s; one that ended sooner waits longer', () => {
  expect(countDeath(5, 9_999)).toBe(6)
  expect(countDeath(5, 10_000)).toBe(1)
})
