import type { Client } from './client.ts'
import { listOf, type ListQuery } from './list.ts'
import type { CallOptions } from './options.ts'
import { gone } from './recover.ts'
import type { Schema, Template } from './schema.ts'

const path = '/v1/templates'
const pathOf = (id: string) => `${path}/${encodeURIComponent(id)}`

export const templates = (client: Client) => ({
  /** Lists all templates, newest first: `for await (const template of herald.templates.list())`. */
  list: (query: ListQuery = {}, options: CallOptions = {}) =>
    listOf<Template>(query, async (asked) => {
      const { templates: items, nextCursor } = await client.request<Schema<'TemplateList'>>('GET', path, { ...options, query: asked })
      return { items, nextCursor }
    }),

  create: (template: Schema<'SaveTemplate'>, options: CallOptions = {}) =>
    client.request<Template>('POST', path, { ...options, body: template }),
  get: (id: string, options: CallOptions = {}) => client.request<Template>('GET', pathOf(id), options),
  /** Replaces the whole template: an optional field that the new template lacks is removed. */
  replace: (id: string, template: Schema<'SaveTemplate'>, options: CallOptions = {}) =>
    client.request<Template>('PUT', pathOf(id), { ...options, body: template }),
  delete: (id: string, options: CallOptions = {}) => client.request<void>('DELETE', pathOf(id), { ...options, recover: gone }),
})
