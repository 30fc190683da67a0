import { newId } from '@herald/contracts/ids'
import { freshDatabase } from '@herald/testing/database'
import { expect, onTestFinished, test } from 'vitest'
import pg from 'pg'
import { ownersOf } from './apps.ts'
import { restore } from './restore.ts'

async function givenRestored() {
  const { ownerUrl } = await freshDatabase()
  const open = async (name: string) => {
    const client = new pg.Client({ connectionString: ownerUrl, application_name: name })
    await client.connect()
    onTestFinished(() => client.end())
    return client
  }
  const owner = await open('a test')
  const [appId, ids] = [newId(), { sending: newId(), active: newId(), scheduled: newId(), sent: newId() }]
  for (const [status, id] of Object.entries(ids))
    await owner.query(
      `insert into campaigns.campaigns (id, app_id, name, status, transactional, target, silent, data, ttl, priority, bypass, due_at)
      values ($1, $2, $3, $4, false, '{}', false, '{}', 60, 'high', '{}', $5)`,
      [id, appId, `the ${status}`, status, status === 'sent' ? null : new Date(0)],
    )
  await owner.query(`insert into audience.fan_outs (campaign_id, app_id, bound_id) values ($1, $2, '')`, [ids.sending, appId])
  await owner.query(
    `insert into audience.batches (id, app_id, campaign_id, platform, lane, day, subscription_ids, user_ids, batch_no, takes)
    values ($1, $3, $4, 'ios', 'bulk', current_date, '{}', '{}', 1, 3), ($2, $3, $4, 'ios', 'bulk', current_date, '{}', '{}', 2, 0)`,
    [newId(), newId(), appId, ids.sending],
  )
  const read = async (sql: string) => (await owner.query(sql)).rows as unknown[]
  return { owners: ownersOf(ownerUrl, {}), open, ids, appId, read }
}

// spec: running/restore
test('after a restore sends and recurrences are paused, past schedules begin in an hour, and takes have new numbers', async () => {
  const { owners, ids, appId, read } = await givenRestored()
  expect(await restore(owners, { keepSending: false })).toBe(
    [
      '1 sends under way are paused: resume or cancel each on its page. Resumed, each sends what was sent since that time again',
      `  ${ids.sending} (app ${appId}) the sending`,
      '1 recurrences are paused: resumed, each goes on with its next time',
      `  ${ids.active} (app ${appId}) the active`,
      '1 scheduled campaigns begin in 60 minutes: cancel those that were sent already',
      `  ${ids.scheduled} (app ${appId}) the scheduled`,
      '1 batches are taken anew',
      '',
    ].join('\n'),
  )
  expect(
    await read(
      `select name, status, round(extract(epoch from due_at - now()) / 60)::int as "dueIn", flow_no as no from campaigns.campaigns order by name`,
    ),
  ).toEqual([
    { name: 'the active', status: 'paused', dueIn: null, no: 0 },
    { name: 'the scheduled', status: 'scheduled', dueIn: 60, no: 0 },
    { name: 'the sending', status: 'paused', dueIn: null, no: 1 },
    { name: 'the sent', status: 'sent', dueIn: null, no: 0 },
  ])
  expect(await read('select flow, flow_no as no from audience.fan_outs')).toEqual([{ flow: 'paused', no: 1 }])
  expect(await read('select takes from audience.batches order by batch_no')).toEqual([{ takes: 503 }, { takes: 0 }])
})

// spec: running/restore
test('with --keep-sending nothing is paused, and while a service is connected nothing is done', async () => {
  const { owners, open, read } = await givenRestored()
  const service = await open('herald-audience')
  await expect(restore(owners, { keepSending: true })).rejects.toThrow(
    'Stop Herald first: herald-audience is connected to the database of campaigns.',
  )
  expect(await read('select takes from audience.batches order by batch_no')).toEqual([{ takes: 3 }, { takes: 0 }])
  await service.query('set application_name = other')
  expect(await restore(owners, { keepSending: true })).toBe('1 batches are taken anew\n')
  expect(await read('select status from campaigns.campaigns order by name')).toEqual(
    ['active', 'scheduled', 'sending', 'sent'].map((status) => ({ status })),
  )
})
