import { apps } from '@herald/contracts/call'
import { batchSubject, everyLane } from '@herald/contracts/batch'
import { makeStreams } from '@herald/contracts/calls/gateway'
import { grantsOf, uses } from '@herald/contracts/grants'
import { expect, test } from 'vitest'
import { readCalls } from './describe-topology.ts'
import { readUses } from './read-uses.ts'

const lanes = everyLane.map(({ platform, lane }) => batchSubject(platform, lane))
const subjects = (of: readonly { subject: string }[]) => of.map(({ subject }) => subject).toSorted()

// spec: running/nats-users
test.each(apps)('the list of NATS rights has for the service %s what its source uses, nothing more', async (app) => {
  const { asks, tells, hears, stores, reads } = uses[app]
  const found = await readUses(app)

  expect({ ...found, answers: [] }).toEqual({
    asks: subjects(asks),
    answers: [],
    tells: subjects(tells),
    hears: subjects(hears),
    stores: [...new Set(stores.map((subject) => (lanes.includes(subject) ? 'work.push.<platform>.<lane>' : subject)))].toSorted(),
    reads: reads.map(({ durable }) => durable).toSorted(),
  })
})

test('every call of the contracts is answered by exactly one service, and made by at least one', async () => {
  const found = await Promise.all(apps.map(readUses))
  // makeStreams is made and answered by libs/service itself.
  const calls = (await readCalls()).map(({ subject }) => subject).filter((subject) => subject !== makeStreams.subject)

  expect(found.flatMap(({ answers }) => answers).toSorted()).toEqual(calls)
  expect([...new Set(found.flatMap(({ asks }) => asks))].toSorted()).toEqual(calls)
})

test('no service has a wildcard, but for its inbox, calls, versions of calls, acks and making consumers', () => {
  const wide = apps.flatMap((app) =>
    [...grantsOf(app).publish, ...grantsOf(app).subscribe].filter((grant) => /[*>]/.test(grant)).map((grant) => [app, grant] as const),
  )

  const own = wide.filter(([app, grant]) => !grant.startsWith(`_INBOX.${app}.`) && !grant.startsWith(`rpc.${app}.`))
  const isVersionOfAsked = ([app, grant]: (typeof wide)[number]) =>
    grant.endsWith('.*') && grantsOf(app).publish.includes(grant.slice(0, -2))
  expect(own.filter((one) => !one[1].startsWith('$JS.ACK.') && !isVersionOfAsked(one))).toEqual([
    ['gateway', '$JS.API.CONSUMER.CREATE.EVENTS.webhooks-collect.>'],
  ])
})
