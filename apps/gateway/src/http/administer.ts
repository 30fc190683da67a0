import { listSegments } from '@herald/contracts/calls/audience'
import { listTemplates } from '@herald/contracts/calls/campaigns'
import { cappedList, listRequestOf, PageQuery } from '../core/page.ts'
import { readApp } from '../manage-app.ts'
import { insertAudit, type AuditAction } from '../store/audit.ts'
import { Reply, route, type Route } from './route.ts'
import { segments } from './segments.ts'
import { templates } from './templates.ts'

/** What the audit calls the changes. */
const audited: Record<string, AuditAction | undefined> = {
  createSegment: 'segment.created',
  replaceSegment: 'segment.changed',
  deleteSegment: 'segment.deleted',
  createTemplate: 'template.created',
  replaceTemplate: 'template.changed',
  deleteTemplate: 'template.deleted',
  createCampaign: 'campaign.created',
  sendCampaign: 'campaign.sent',
  pickWinner: 'campaign.winner-picked',
}

/** A public route for the dashboard: the same operation, on the path's app in the place of the key's (spec: administration/segments-templates, administration/campaign-operations). */
export function administered({ scope: _scope, limit: _limit, ...it }: Route): Route {
  return {
    ...it,
    name: `${it.name}OfApp`,
    key: 'admin',
    path: it.path.replace('/v1/', '/v1/admin/apps/:appId/'),
    async answer(gateway, asked) {
      const { appId, params } = asked
      await readApp(gateway.db, appId)
      const answer = await it.answer(gateway, asked)
      const action = audited[it.name]
      // After the other app's commit: a crash in between loses the line and not the change.
      if (action !== undefined && !isReplay(answer))
        await insertAudit(gateway.db, { appId, action, subject: { id: params['id'] ?? idOf(answer) } })
      return answer
    },
  }
}

function idOf(answer: unknown): unknown {
  const said = answer instanceof Reply ? answer.body : answer
  return typeof said === 'object' && said !== null && 'id' in said ? said.id : undefined
}

/** A replay changes nothing, so there is nothing to write down. */
const isReplay = (answer: unknown): boolean => answer instanceof Reply && 'Idempotent-Replayed' in answer.headers

const lists = [
  route({
    name: 'listSegmentsOfApp',
    method: 'get',
    path: '/v1/admin/apps/:appId/segments',
    key: 'admin',
    query: PageQuery,
    status: 200,
    summary: 'List saved segments, newest first',
    async answer({ db, bus }, { appId, query }) {
      await readApp(db, appId)
      return cappedList(await bus.call(listSegments, { appId, ...listRequestOf(query) }))
    },
  }),
  route({
    name: 'listTemplatesOfApp',
    method: 'get',
    path: '/v1/admin/apps/:appId/templates',
    key: 'admin',
    query: PageQuery,
    status: 200,
    summary: 'List templates, newest first',
    async answer({ db, bus }, { appId, query }) {
      await readApp(db, appId)
      return cappedList(await bus.call(listTemplates, { appId, ...listRequestOf(query) }))
    },
  }),
]

/** Segments and templates as the dashboard manages them: the public operations, lists as elsewhere on this surface. */
export const segmentsAndTemplates: readonly Route[] = [
  ...lists,
  ...[...segments, ...templates].filter(({ name }) => name !== 'listSegments' && name !== 'listTemplates').map(administered),
]
