import { readMaskedUser } from '@herald/contracts/calls/audience'
import { readCampaign } from '@herald/contracts/calls/campaigns'
import { notFound } from '@herald/contracts/fault'
import { addressForms } from '@herald/contracts/person'
import { ObjectId, text } from '@herald/contracts/text'
import { z } from 'zod'
import { textsOf, type Portions } from '../../core/portion.ts'
import { exportCampaign, exportAllUsers, exportOneUser } from '../export-lines.ts'
import { getApp } from '../../apps/store/apps.ts'
import { UserPartLine, PushLine, UserLine } from './user-answers.ts'
import { exporting, route } from '../../http/route.ts'
import { TextStream } from '../../http/text-stream.ts'

const UsersQuery = z.strictObject({
  after: ObjectId.optional().meta({ description: 'Continues an export that was cut off: the id of its last user.' }),
  segmentId: ObjectId.optional().meta({ description: 'Only users with a reachable device in this saved segment.' }),
  addresses: z.enum(addressForms).default('masked').meta({ description: '`full`: tokens, endpoints and keys as they are.' }),
})

const CampaignQuery = z.strictObject({
  after: text(1, 200).optional().meta({ description: 'Continues an export that was cut off: the id of its last push.' }),
})

const ndjson = 'application/x-ndjson'
const asFile = { key: 'admin', scope: 'people', status: 200, mediaType: ndjson, faults: ['rate_limited'] } as const

/** The routes that export lines of JSON, each with a `type`; the last line has the type `end` and says how many lines came before it. */
export const exports = [
  route({
    ...asFile,
    name: 'exportUsersOfApp',
    method: 'get',
    path: '/v1/admin/apps/:appId/users/export',
    query: UsersQuery,
    summary: 'Export all users by id, each with its devices in one line',
    answers: UserLine,
    audit: exporting('users.exported'),
    async answer(gateway, { appId, query, noteExport }) {
      await getApp(gateway.db, appId)
      const { after = null, segmentId, addresses } = query
      const asked = { addresses, ...(segmentId === undefined ? {} : { segmentId }) }
      const subject = { ...asked, ...(after === null ? {} : { after }) }
      return lines(noteExport(appId, subject, exportAllUsers(gateway, { appId, after, ...asked })))
    },
  }),
  route({
    ...asFile,
    name: 'exportUserOfApp',
    method: 'get',
    path: '/v1/admin/apps/:appId/users/:id/export',
    summary:
      'Export all that Herald has of one user: the user, devices, preferences, pushes with what was reported of them, conversions, webhook deliveries',
    answers: UserPartLine,
    audit: exporting('user.exported'),
    async answer(gateway, { appId, params, noteExport }) {
      await getApp(gateway.db, appId)
      const user = await gateway.bus.call(readMaskedUser, { appId, user: { userId: params.id } })
      return lines(noteExport(appId, { id: user.id }, exportOneUser(gateway, { appId, user })))
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
    audit: exporting('pushes.exported'),
    async answer(gateway, { appId, params, query: { after = null }, noteExport }) {
      await getApp(gateway.db, appId)
      const campaign = { appId, campaignId: params.id }
      if (!(await gateway.bus.call(readCampaign, campaign))) throw notFound()
      const subject = { campaignId: params.id, ...(after === null ? {} : { after }) }
      return lines(noteExport(appId, subject, exportCampaign(gateway, { ...campaign, after })))
    },
  }),
]

const lines = (portions: Portions) =>
  new TextStream(textsOf(portions), { 'content-type': `${ndjson}; charset=utf-8`, 'x-accel-buffering': 'no' })
