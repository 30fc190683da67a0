import type { Client, QueryConfig } from 'pg'

const marked = /^\s*\/\* plan kept: ([\w-]+) \*\//

/**
 * Lets a connection keep the plans of statements that begin with the comment `plan kept: <name>`: each is prepared once per connection under its
 * name, and from the sixth time on Postgres plans it no more (docs/decisions/0038). Only for statements whose plan is right for tables
 * of any size, shown by a test of plans. The text of one name is always the same.
 */
export function keepPlans(client: Client): void {
  const ask: (asked: string | QueryConfig, ...more: unknown[]) => unknown = client.query.bind(client)
  const query = (asked: string | QueryConfig, values?: unknown[], ...more: unknown[]): unknown => {
    const name = typeof asked === 'string' ? marked.exec(asked)?.[1] : undefined
    return name === undefined || typeof asked !== 'string' ? ask(asked, values, ...more) : ask({ name, text: asked, values: values ?? [] })
  }
  Object.assign(client, { query })
}
