import type { LiveActivity } from '@herald/contracts/live-activity'
import { afterEach, expect, test } from 'vitest'
import { topic } from './testing/start-peers.ts'
import { startRig } from './testing/start-rig.ts'

const rig = await startRig()
afterEach(() => rig.clean())

// To APNs the token of an activity is like that of a device, but for the topic.
const holders = (count: number, more: object = {}) => rig.simulator.devices({ platform: 'ios', count, bundleId: topic, ...more })
const match = (event: LiveActivity['event'], timestamp = 1_770_000_000): LiveActivity => ({
  ...{ activityId: 'match-3', event, attributesType: 'MatchAttributes', contentState: { home: 1 }, timestamp },
  ...(event === 'start' ? { attributes: {} } : {}),
})
const alert = { _default: 'en', en: { title: 'Goal', body: 'One to nothing.' } }

// spec: activities/request, activities/payload
test.each(['own', 'library'])(
  'with the %s transport APNs gets each event with its push type, topic and priority, without collapse id and msgId',
  async (TRANSPORT) => {
    await rig.start(TRANSPORT === 'library' ? { TRANSPORT } : {})
    const devices = await holders(2)
    const rows = (['start', 'update', 'end'] as const).map((event) =>
      rig.peers.queue(
        'ios',
        devices,
        {},
        {
          ...{ activity: match(event), silent: event !== 'start', content: event === 'start' ? alert : null },
          priority: event === 'update' ? 'normal' : 'high',
        },
      ),
    )
    for (const row of rows) await rig.peers.point(row)
    const finishes = await Promise.all(rows.map((row) => rig.finishOf(row)))
    expect(finishes.map(({ activity }) => activity)).toEqual([
      { starts: true, name: 'MatchAttributes' },
      { starts: false, name: 'match-3' },
      { starts: false, name: 'match-3' },
    ])
    const arrived = await rig.simulator.arrivedAt(devices)
    expect(arrived).toHaveLength(6)
    for (const { headers, payload, msgId } of arrived) {
      const { aps, ...others } = payload as { aps: { event: string; timestamp: number; alert?: object } }
      expect([others, msgId]).toEqual([{}, null])
      expect(headers).toEqual({
        topic: `${topic}.push-type.liveactivity`,
        pushType: 'liveactivity',
        priority: aps.event === 'update' ? '5' : '10',
        expiration: expect.stringMatching(/^[1-9]\d+$/) as string,
      })
      expect([aps.timestamp, aps.alert]).toEqual([1_770_000_000, aps.event === 'start' ? { ...alert.en, sound: 'default' } : undefined])
    }
  },
)

// spec: activities/dead-token
test('dead tokens of Live Activities are named as such in the finish, fail with their codes, and leave the circuit', async () => {
  await rig.start()
  const [fine, gone, bad, foreign] = [
    await holders(1),
    await holders(30, { behaviour: { answer: 'dead' } }),
    await holders(30, { behaviour: { answer: 'bad_token' } }),
    await holders(1, { behaviour: { answer: 'sender_mismatch' } }),
  ]
  const row = rig.peers.queue('ios', [...gone, ...bad, ...foreign, ...fine], {}, { activity: match('update'), silent: true, content: null })
  await rig.peers.point(row)
  const finish = await rig.finishOf(row)

  expect(finish.dead.map(({ code }) => code).toSorted()).toEqual([...Array(30).fill('token_dead'), ...Array(30).fill('token_invalid')])
  expect([finish.guarded, finish.refused]).toEqual([[], []])
  expect(finish.answers).toEqual([{ environment: 'production', seen: 's', code: null }])
  expect(
    rig.peers
      .outcomesOf(row)
      .map(({ outcome, code }) => `${outcome} ${code}`.trim())
      .toSorted(),
  ).toEqual([
    'failed sender_mismatch',
    ...Array<string>(30).fill('failed token_dead'),
    ...Array<string>(30).fill('failed token_invalid'),
    'sent',
  ])
})
