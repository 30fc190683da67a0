import type { z } from 'zod'

/** A schema of an answer for an OpenAPI document, held against the type that the answer has: it does not compile where such an answer may not fit. */
export const describes =
  <Answer>(): (<Schema extends z.ZodType>(schema: Schema & Fits<Answer, Schema>) => Schema) =>
  (schema) =>
    schema
/** Nothing to add when every such answer fits the schema, and impossible when one may not. */
type Fits<Answer, Schema> = Answer extends z.output<Schema> ? unknown : never
