import { expect, test } from 'vitest'
import { openPushHosts, type Entry, type PushHosts } from './push-hosts.ts'

const entered = (entry: Entry) => {
  if (entry.is !== 'entered') throw new Error(`refused: ${entry.reason}`)
  return entry
}
/** Opens the memory of push services' hosts, with a clock that the test moves. */
function given(): { hosts: PushHosts; clock: { now: number }; enter: (host: string, appId?: string) => Promise<Entry> } {
  const clock = { now: 1_000 }
  const hosts = openPushHosts(() => clock.now)
  return { hosts, clock, enter: (host, appId = 'app') => hosts.enter({ appId, host, isNamed: false }) }
}

// spec: providers/new-hosts
test('a new push service is tried with one push; its other pushes wait, and are sent when it has answered', async () => {
  const { enter } = given()
  const first = entered(await enter('new'))
  let isIn = false
  const second = enter('new').then((entry) => {
    isIn = true
    return entry
  })
  await Promise.resolve()
  expect(isIn).toBe(false)
  first.leave(true)
  entered(await second)
  entered(await enter('new'))
})

// spec: providers/dead-hosts
test('a push service without a first answer rests for 5 s, then twice as long, up to a minute', async () => {
  const { enter, clock } = given()
  for (const closedMs of [5_000, 10_000, 20_000, 40_000, 60_000, 60_000]) {
    entered(await enter('dead')).leave(false)
    expect(await enter('dead')).toEqual({ is: 'refused', reason: 'host does not answer' })
    clock.now += closedMs - 1
    expect((await enter('dead')).is).toBe('refused')
    clock.now += 1
  }
  entered(await enter('dead')).leave(true)
  entered(await enter('dead'))
})

// spec: providers/new-hosts
test('an app tries 32 new push services at once; pushes to further ones are refused, others’ are not', async () => {
  const { hosts, enter } = given()
  entered(await enter('known')).leave(true)
  const trials = await Promise.all(Array.from({ length: 32 }, (_, no) => enter(`dead ${no}`)))
  trials.map(entered)

  expect(await enter('one more')).toEqual({ is: 'refused', reason: 'too many new hosts' })
  entered(await enter('known'))
  entered(await enter('one more', 'another app'))
  entered(await hosts.enter({ appId: 'app', host: 'named', isNamed: true }))
  for (const trial of trials) entered(trial).leave(false)
  entered(await enter('yet another'))
})

test('a push to a new push service that has not answered for 2 s is refused at once', async () => {
  const { enter, clock } = given()
  entered(await enter('slow'))
  clock.now += 2_000
  expect(await enter('slow')).toEqual({ is: 'refused', reason: 'host is slow' })
})

test('a push service that has answered before gets pushes until eight in a row were not answered', async () => {
  const { enter } = given()
  const leave = async (...answers: boolean[]) => {
    for (const answered of answers) entered(await enter('busy')).leave(answered)
  }
  await leave(true, ...Array<boolean>(7).fill(false), true, ...Array<boolean>(7).fill(false))
  await leave(false)
  expect((await enter('busy')).is).toBe('refused')
})

test('a push that was never sent says nothing about its push service', async () => {
  const { enter } = given()
  entered(await enter('blocked')).leave(undefined)
  expect((await enter('blocked')).is).toBe('entered')
})
