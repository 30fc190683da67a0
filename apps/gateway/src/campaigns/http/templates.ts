import { createTemplate, deleteTemplate, listTemplates, readTemplate, replaceTemplate } from '@herald/contracts/calls/campaigns'
import { SaveTemplate, Template } from '@herald/contracts/template'
import { cappedList, listRequestOf, PageQuery } from '../../core/page.ts'
import { administered } from '../../apps/http/administered.ts'
import { getApp } from '../../apps/store/apps.ts'
import { TemplateList } from '../../http/answers.ts'
import { TemplatesOfApp } from './campaign-answers.ts'
import { elsewhere, route, type Route } from '../../http/route.ts'

const reads = { key: 'secret', scope: 'campaigns:read' } as const
const writes = { key: 'secret', scope: 'campaigns:write' } as const

export const templates = [
  route({
    ...reads,
    name: 'listTemplates',
    method: 'get',
    path: '/v1/templates',
    query: PageQuery,
    status: 200,
    summary: 'List templates, newest first',
    answers: TemplateList,
    async answer({ bus }, { appId, query }) {
      const { items, nextCursor } = cappedList(await bus.call(listTemplates, { appId, ...listRequestOf(query) }))
      return { templates: items, nextCursor }
    },
  }),
  route({
    ...writes,
    name: 'createTemplate',
    method: 'post',
    path: '/v1/templates',
    body: SaveTemplate,
    audit: elsewhere('template.created'),
    status: 201,
    summary: 'Make a template',
    answers: Template,
    faults: ['duplicate_name', 'limit_reached'],
    answer: ({ bus }, { appId, body }) => bus.call(createTemplate, { appId, template: body }),
  }),
  route({
    ...reads,
    name: 'readTemplate',
    method: 'get',
    path: '/v1/templates/:id',
    status: 200,
    summary: 'Read a template',
    answers: Template,
    answer: ({ bus }, { appId, params }) => bus.call(readTemplate, { appId, templateId: params.id }),
  }),
  route({
    ...writes,
    name: 'replaceTemplate',
    method: 'put',
    path: '/v1/templates/:id',
    body: SaveTemplate,
    audit: elsewhere('template.changed'),
    status: 200,
    summary: 'Replace a template',
    description: 'Replaces the whole: an optional field that is left out is removed. Campaigns that used it keep their copy.',
    answers: Template,
    faults: ['duplicate_name'],
    answer: ({ bus }, { appId, params, body }) => bus.call(replaceTemplate, { appId, templateId: params.id, template: body }),
  }),
  route({
    ...writes,
    name: 'deleteTemplate',
    method: 'delete',
    path: '/v1/templates/:id',
    audit: elsewhere('template.deleted'),
    status: 204,
    summary: 'Delete a template',
    description: 'Campaigns that used it keep their copy.',
    answer: ({ bus }, { appId, params }) => bus.call(deleteTemplate, { appId, templateId: params.id }),
  }),
]

const listOfApp = route({
  name: 'listTemplatesOfApp',
  method: 'get',
  path: '/v1/admin/apps/:appId/templates',
  key: 'admin',
  scope: 'read',
  query: PageQuery,
  status: 200,
  summary: 'List templates, newest first',
  answers: TemplatesOfApp,
  async answer({ db, bus }, { appId, query }) {
    await getApp(db, appId)
    return cappedList(await bus.call(listTemplates, { appId, ...listRequestOf(query) }))
  },
})

/**
 * The template routes of the administration (spec: administration/segments-templates). The operations are those of the public API. The list of
 * templates has the form of the administration's other lists.
 */
export const templatesOfApp: readonly Route[] = [listOfApp, ...templates.filter(({ name }) => name !== 'listTemplates').map(administered)]
