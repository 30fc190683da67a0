import { z } from 'zod'

/** Pieces of what answers say, for the OpenAPI document. */
export const Id = z.string().meta({ pattern: '^[0-9a-f]{24}$', description: 'An id: 24 lower-case hexadecimal characters.' })
export const Time = z.string().meta({ format: 'date-time' })
export const Count = z.int().min(0)
