import { listSegments } from '@herald/contracts/calls/audience'
import { listTemplates } from '@herald/contracts/calls/campaigns'
import { cappedList, listRequestOf, PageQuery } from '../../core/page.ts'
import { readApp } from '../manage-app.ts'
import { SegmentsOfApp, TemplatesOfApp } from '../../openapi/http/administration-answers.ts'
import { route, type Route } from '../../http/route.ts'
import { segments } from '../../people/http/segments.ts'
import { templates } from '../../campaigns/http/templates.ts'

/**
 * The administration's version of a public route: the same operation, on the app of the path instead of the app of the key (spec:
 * administration/segments-templates, administration/campaign-operations). Whether the app exists is checked here, but for a change: there it is
 * checked where its line in the audit begins.
 */
export function administered({ scope: _scope, limit: _limit, ...it }: Route): Route {
  return {
    ...it,
    name: `${it.name}OfApp`,
    key: 'admin',
    path: it.path.replace('/v1/', '/v1/admin/apps/:appId/'),
    async answer(gateway, asked) {
      if (typeof it.audit !== 'object') await readApp(gateway.db, asked.appId)
      return it.answer(gateway, asked)
    },
  }
}

const lists = [
  route({
    name: 'listSegmentsOfApp',
    method: 'get',
    path: '/v1/admin/apps/:appId/segments',
    key: 'admin',
    query: PageQuery,
    status: 200,
    summary: 'List saved segments, newest first',
    answers: SegmentsOfApp,
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
    answers: TemplatesOfApp,
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
