import { sql } from 'kysely'
import type { WebhookDelivery } from '@herald/contracts/webhook'
import type { Db } from './tables.ts'

type NamedDelivery = Pick<WebhookDelivery, 'id' | 'state' | 'createdAt' | 'endedAt'> & { webhookId: string }
export type NamingBody = { id: number; events: Buffer; deliveries: NamedDelivery[] }

/** Finds the next bodies that name a user, in the order of their ids, each with its deliveries. */
export async function findDeliveriesOfUser(
  db: Db,
  { appId, userId, after, limit }: { appId: string; userId: string; after: number; limit: number },
): Promise<NamingBody[]> {
  const { rows } = await sql<Row>`
    select b.id as "bodyId", b.events, d.id, d.state, d.endpoint_id as "webhookId", d.created_at as "createdAt", d.ended_at as "endedAt"
    from (
      select id, events from bodies
      where user_ids @> array[${userId}]::text[] and app_id || '' = ${appId} and id > ${after}::bigint order by id limit ${limit}
    ) b left join lateral (select * from deliveries where body_id = b.id offset 0) d on true
    order by b.id, d.id`.execute(db)
  return [...Map.groupBy(rows, ({ bodyId }) => bodyId)].map(([id, of]) => ({
    id,
    events: of[0]?.events ?? Buffer.from('[]'),
    deliveries: of.flatMap(({ id: deliveryId, state, webhookId, createdAt, endedAt }) =>
      deliveryId === null
        ? []
        : [{ id: deliveryId, webhookId, state, createdAt: createdAt.toISOString(), endedAt: endedAt?.toISOString() ?? null }],
    ),
  }))
}

/** `id` is null for a body whose last delivery is just being deleted. */
type Row = { bodyId: number; events: Buffer; webhookId: string; state: WebhookDelivery['state']; createdAt: Date; endedAt: Date | null } & {
  id: string | null
}
