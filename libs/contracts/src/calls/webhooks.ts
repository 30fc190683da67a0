import { z } from 'zod'
import { call } from '../call.ts'

const Id = z.string().length(24)

/** A user was erased: bodies of deliveries that name them go too (decisions.md 8). */
export const eraseUser = call<Record<string, never>>()('rpc.webhooks.erase-user', z.object({ appId: Id, userId: Id }))
