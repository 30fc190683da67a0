import { Overrides } from '@herald/contracts/overrides'
import { Bypass, CustomData, Presentation } from '@herald/contracts/send-fields'
import { Experiment, Schedule } from '@herald/contracts/campaign'
import { Action, Content, ContentByLocale, ContentMap, LocaleEntry } from '@herald/contracts/content'
import { Inbox, MarkInbox } from '@herald/contracts/inbox'
import { Category, CreateCategory, SaveCategory } from '@herald/contracts/category'
import { SavedSegment, SaveSegment, SegmentCount } from '@herald/contracts/saved-segment'
import { SavedSegmentDefinition, SegmentDefinition } from '@herald/contracts/segment-definition'
import { deviceFields, segmentOperators, userFields } from '@herald/contracts/segment'
import { UserChanges, WebPushKeys } from '@herald/contracts/subscription'
import { Target } from '@herald/contracts/target'
import { SaveTemplate, Template } from '@herald/contracts/template'
import { Id, TagChanges, Tags } from '@herald/contracts/text'
import { Subscription, User } from '@herald/contracts/user'
import type { SchemaObject } from 'openapi3-ts/oas31'
import { z } from 'zod'
import * as ofApps from '../../apps/http/app-answers.ts'
import { AuditEntry, AuditList } from '../../audit/http/audit.ts'
import * as ofCampaigns from '../../campaigns/http/campaign-answers.ts'
import { SystemRead } from '../../overview/http/overview-answers.ts'
import { SegmentsOfApp } from '../../people/http/user-answers.ts'
import * as ofWebhooks from '../../webhooks/http/webhook-answers.ts'
import * as answers from '../../http/answers.ts'

/** Schemas that a document has once, each under its name here, however often other schemas use it. */
const named: Record<string, unknown> = {
  ...answers,
  ...ofApps,
  ...ofCampaigns,
  ...ofWebhooks,
  Action,
  Bypass,
  Category,
  Content,
  ContentByLocale,
  ContentMap,
  CreateCategory,
  CustomData,
  Experiment,
  Id,
  Inbox,
  LocaleEntry,
  MarkInboxBody: MarkInbox,
  Overrides,
  Presentation,
  SaveCategory,
  SavedSegment,
  SaveSegment,
  SaveTemplate,
  Schedule,
  SegmentCount,
  Subscription,
  TagChanges,
  Tags,
  Target,
  Template,
  User,
  UserChanges,
  WebPushKeys,
  AuditEntry,
  AuditList,
  SystemRead,
  SegmentsOfApp,
}
/** Exports of the modules above that get no name of their own: parts of other schemas, and answers of a single route. */
const unnamed = new Set(['Time', 'Count', 'nextCursor', 'WaveList', 'RunList', 'DeliveryWithBody'])
for (const [id, schema] of Object.entries(named))
  if (schema instanceof z.ZodType && !unnamed.has(id)) z.globalRegistry.add(schema, { ...z.globalRegistry.get(schema), id })

const here = (name: string) => `#/components/schemas/${name}`
const nodes = { type: 'array', minItems: 1, maxItems: 50, items: { $ref: here('SegmentNode') } } as const
const group = (key: string, schema: SchemaObject): SchemaObject => ({
  type: 'object',
  required: [key],
  properties: { [key]: schema },
  additionalProperties: false,
})

/** The schemas that are written by hand: of errors, and of segments, which Herald's own code checks so that it can name the path of each mistake. */
export const writtenSchemas: Record<string, SchemaObject> = {
  Segment: {
    description:
      'Which devices a segment matches; {} means everyone. At most 8 levels deep, with at most 100 leaves and 10,000 listed values; one that costs too much per device is refused at the leaf that is too much.',
    anyOf: [{ type: 'object', maxProperties: 0 }, { $ref: here('SegmentNode') }],
  },
  SegmentNode: {
    anyOf: [
      {
        type: 'object',
        description: `A leaf. Fields of the device: ${Object.keys(deviceFields).join(', ')}; of the user: ${Object.keys(userFields)
          .map((name) => (Object.hasOwn(deviceFields, name) ? `user.${name}` : name))
          .join(', ')}, tags.<name>.`,
        required: ['field', 'op', 'value'],
        properties: {
          field: { type: 'string' },
          op: { type: 'string', enum: [...segmentOperators] },
          value: { description: 'A text, number or truth value; for `in` and `nin` 1 to 500 of them. Dates may be relative: -14d, +2h.' },
        },
        additionalProperties: false,
      },
      group('and', nodes),
      group('or', nodes),
      group('not', { $ref: here('SegmentNode') }),
    ],
  },
  Error: {
    type: 'object',
    required: ['error'],
    properties: {
      error: {
        type: 'object',
        required: ['code', 'message'],
        properties: {
          code: { type: 'string', description: 'One of a fixed list: programs decide by it.' },
          message: { type: 'string', description: 'A sentence for people.' },
          details: {
            type: 'array',
            description: 'Which fields are wrong.',
            items: {
              type: 'object',
              required: ['path', 'message'],
              properties: { path: { type: 'string' }, message: { type: 'string' } },
            },
          },
        },
      },
    },
  },
}

/** Turns a zod schema into JSON Schema. A part that has a name becomes a reference, and `parts` has that part for the document's components. */
export function jsonSchemaOf(schema: z.ZodType): { schema: SchemaObject; parts: Record<string, SchemaObject> } {
  const json: Record<string, unknown> = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io: 'input',
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      const isSegment = zodSchema === SegmentDefinition || zodSchema === SavedSegmentDefinition
      if (!isSegment && zodSchema !== Content) return
      for (const key of Object.keys(jsonSchema)) delete jsonSchema[key]
      if (isSegment) jsonSchema.$ref = here('Segment')
      else jsonSchema.anyOf = [{ $ref: here('ContentMap') }, { $ref: here('ContentByLocale') }]
    },
  })
  const { $schema: _schema, $defs = {}, ...root } = json
  const parts = Object.fromEntries(Object.entries($defs as object).map(([name, part]) => [name, tidy(part) as SchemaObject]))
  const forms = 'Content' in parts ? jsonSchemaOf(z.object({ ContentMap, ContentByLocale })).parts : {}
  return { schema: tidy(root) as SchemaObject, parts: { ...forms, ...parts } }
}

const isSafeLimit = (value: unknown): boolean => value === Number.MAX_SAFE_INTEGER || value === Number.MIN_SAFE_INTEGER

/** Makes references begin at the document's root. Leaves out names of schemas (`id`), safe ranges of integers and patterns of times. */
function tidy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidy)
  if (typeof value !== 'object' || value === null) return value
  const isTime = 'format' in value && value.format === 'date-time'
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, item]) => !isSafeLimit(item) && !(key === 'id' && typeof item === 'string') && !(key === 'pattern' && isTime))
      .map(([key, item]) => [
        key,
        key === '$ref' && typeof item === 'string' ? item.replace('#/$defs/', '#/components/schemas/') : tidy(item),
      ]),
  )
}
