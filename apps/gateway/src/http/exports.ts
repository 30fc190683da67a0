import { readPerson } from '@herald/contracts/calls/audience'
import { readCampaign } from '@herald/contracts/calls/campaigns'
import { notFound } from '@herald/contracts/fault'
import { addressForms } from '@herald/contracts/person'
import { ObjectId, text } from '@herald/contracts/text'
import { z } from 'zod'
import { exportCampaign, exportEverybody, exportPerson } from '../export-lines.ts'
import { readApp } from '../manage-app.ts'
import { LineStream, ndjson } from './line-stream.ts'
import { PersonLine, PushLine, UserLine } from './person-answers.ts'
import { exporting, route } from './route.ts'

const EverybodyQuery = z.strictObject({
  after: ObjectId.optional().meta({ description: 'Where to go on: the id of the last user of an export that was cut off.' }),
  segmentId: ObjectId.optional().meta({ description: 'Only users of whom this saved segment means a reachable device.' }),
  addresses: z.enum(addressForms).default('masked').meta({ description: '`full`: tokens, endpoints and keys as they are.' }),
})

const CampaignQuery = z.strictObject({
  after: text(1, 200).optional().meta({ description: 'Where to go on: the id of the last push of an export that was cut off.' }),
})

const asFile = { key: 'admin', status: 200, mediaType: ndjson, faults: ['rate_limited'] } as const

/** Lines of JSON, each with its `type`; the last one is `end` with how many came before it. */
export const exports = [
  route({
    ...asFile,
    name: 'exportUsersOfApp',
    method: 'get',
    path: '/v1/admin/apps/:appId/users/export',
    query: EverybodyQuery,
    summary: 'Export everybody: a user with devices a line, by id',
    answers: UserLine,
    audit: exporting('users.exported', ({ query }) => subjectOf(query)),
    async answer(gateway, { appId, query: { after = null, ...asked } }) {
      await readApp(gateway.db, appId)
      return new LineStream(() => exportEverybody(gateway, { appId, after, ...asked }))
    },
  }),
  route({
    ...asFile,
    name: 'exportUserOfApp',
    method: 'get',
    path: '/v1/admin/apps/:appId/users/:id/export',
    summary: 'Export all that there is of one person: user, devices, pushes with what was reported of them, webhook deliveries',
    answers: PersonLine,
    audit: exporting('user.exported', ({ id }) => ({ id })),
    async answer(gateway, { appId, params }) {
      await readApp(gateway.db, appId)
      const person = await gateway.bus.call(readPerson, { appId, user: { userId: params.id } })
      return new LineStream(() => exportPerson(gateway, { appId, person }))
    },
  }),
  route({
    ...asFile,
    name: 'exportPushesOfCampaign',
    method: 'get',
    path: '/v1/admin/apps/:appId/campaigns/:id/pushes/export',
    query: CampaignQuery,
    summary: 'Export the pushes of a campaign with what became of them, in the order in which they were queued',
    answers: PushLine,
    async answer(gateway, { appId, params, query: { after = null } }) {
      await readApp(gateway.db, appId)
      const campaign = { appId, campaignId: params.id }
      if (!(await gateway.bus.call(readCampaign, campaign))) throw notFound()
      return new LineStream(() => exportCampaign(gateway, { ...campaign, after }))
    },
  }),
]

/** What was asked for: ids and words. */
function subjectOf(query: unknown): Record<string, unknown> {
  const { after, segmentId, addresses } = EverybodyQuery.parse(query)
  return { addresses, ...(segmentId === undefined ? {} : { segmentId }), ...(after === undefined ? {} : { after }) }
}
