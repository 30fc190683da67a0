import type { z } from 'zod'

/**
 * Checks a schema of the OpenAPI document against the type of the answer: it does not compile when an answer of this type might not fit the
 * schema.
 */
export const describes =
  <Answer>(): (<Schema extends z.ZodType>(schema: Schema & Fits<Answer, Schema>) => Schema) =>
  (schema) =>
    schema
/** Demands nothing when every answer fits the schema, and the impossible when one may not. */
type Fits<Answer, Schema> = Answer extends z.output<Schema> ? unknown : never
