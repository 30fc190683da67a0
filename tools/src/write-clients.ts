// `node tools/src/write-clients.ts python` or `go` prints the operations and types of a client, made from docs/openapi.json. `npm run docs` stores them.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './workspace.ts'

type Schema = {
  $ref?: string
  type?: string | string[]
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: Schema | false
  items?: Schema
  enum?: string[]
  const?: string | boolean
  anyOf?: Schema[]
  oneOf?: Schema[]
  maxProperties?: number
}
type Parameter = { $ref?: string; name: string; in: string; required?: boolean; schema?: Schema }
type Content = { content?: Record<string, { schema: Schema }> }
type Described = {
  operationId: string
  summary: string
  description?: string
  security: Record<string, unknown>[]
  parameters: Parameter[]
  requestBody?: Content & { required: boolean }
  responses: Record<string, Content>
}
type Operation = {
  id: string
  text: string
  method: string
  path: string
  inPath: string[]
  /** The optional parameters of the query: those of a list (`listQuery`), or texts and a limit. */
  query: readonly string[]
  hasIdempotencyKey: boolean
  isRepeatable: boolean
  body: Schema | undefined
  isBodyNeeded: boolean
  answer: Schema | undefined
}

const document = JSON.parse(readFileSync(join(root, 'docs/openapi.json'), 'utf8')) as {
  paths: Record<string, Record<string, Described>>
  components: { schemas: Record<string, Schema> }
}
const { schemas } = document.components

/** Operations that each client has by hand, because a failed try of theirs needs a second look. */
const byHand = new Set(['registerSubscription', 'sendCampaign'])
/** `changeOwnerByPost` does what `changeOwner` does, for clients that cannot send a PATCH. */
const leftOut = new Set(['changeOwnerByPost'])
/** POST requests that may be sent twice: what they read or set is the same after the second time. */
const repeatable = new Set([
  'changeUsers',
  'countSegment',
  'dryRunNotification',
  'loginSubscription',
  'markInbox',
  'markInboxByExternalId',
  'markInboxOfDevice',
  'previewSegment',
  'reportConversion',
  'reportConversions',
  'startSession',
])
/** POST requests that could have an effect twice, so that a client never repeats them. */
const unrepeatable = new Set([
  'cancelCampaign',
  'createSegment',
  'createTemplate',
  'logoutSubscription',
  'pickWinner',
  'rotateSubscription',
])

const listQuery = ['q', 'limit', 'cursor'] as const
const isList = (query: readonly string[]): boolean => query.toSorted().join() === listQuery.toSorted().join()

/** Gives the operations that a secret key may call. Throws when nobody has decided whether a POST may be repeated. */
const operations: Operation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods)
    .filter(([, { security, operationId }]) => security.some((scheme) => 'secretKey' in scheme) && !leftOut.has(operationId))
    .map(([method, described]) => {
      const { operationId: id, parameters, requestBody } = described
      const hasIdempotencyKey = parameters.some(({ $ref = '' }) => $ref.endsWith('IdempotencyKey'))
      const isDecided = hasIdempotencyKey || [byHand, repeatable, unrepeatable].some((set) => set.has(id))
      if (method === 'post' && !isDecided) throw new Error(`tools/src/write-clients.ts: may a client repeat ${id}?`)
      const query = parameters.flatMap((parameter) => (parameter.in === 'query' ? [parameter.name] : []))
      const isTyped = ({ name, required, schema }: (typeof parameters)[number]) =>
        !required && (name === 'limit' || schema?.type === 'string')
      const isKnown = isList(query) || parameters.every((one) => one.in !== 'query' || isTyped(one))
      if (!isKnown) throw new Error(`tools/src/write-clients.ts: ${id} has a query that no client knows`)
      const [, answered] = Object.entries(described.responses).find(([status]) => status.startsWith('2')) ?? []
      return {
        id,
        text: [`${described.summary}.`, described.description ?? ''].join(' ').trim(),
        method: method.toUpperCase(),
        path,
        inPath: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
        query: isList(query) ? listQuery : query,
        hasIdempotencyKey,
        isRepeatable: repeatable.has(id),
        body: requestBody?.content?.['application/json']?.schema,
        isBodyNeeded: requestBody?.required ?? false,
        answer: answered?.content?.['application/json']?.schema,
      }
    }),
)

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
const nameOf = ($ref: string): string => $ref.slice('#/components/schemas/'.length)
const resolved = (schema: Schema): Schema => (schema.$ref === undefined ? schema : (schemas[nameOf(schema.$ref)] ?? {}))
/** Whether a schema is an object with fixed fields. */
const isObject = ({ type, properties, additionalProperties, maxProperties }: Schema) =>
  type === 'object' && !additionalProperties && (properties !== undefined || maxProperties === 0)
/** The names of the document's schemas by their text, so that a schema that is written out again gets the same type. */
const known = new Map(Object.entries(schemas).map(([name, schema]) => [JSON.stringify(schema), name]))
const aliases = new Set(['Id'])

/** Gives a schema without null, and whether it allowed null. */
function withoutNull(schema: Schema): { rest: Schema; isNullable: boolean } {
  if (Array.isArray(schema.type)) {
    const types = schema.type.filter((type) => type !== 'null')
    const [only] = types
    const rest = types.length === 1 && only !== undefined ? { ...schema, type: only } : { anyOf: types.map((type) => ({ type })) }
    return { rest, isNullable: types.length < schema.type.length }
  }
  const variants = schema.anyOf ?? schema.oneOf ?? []
  const others = variants.filter(({ type }) => type !== 'null')
  const [only = {}] = others
  return others.length === variants.length
    ? { rest: schema, isNullable: false }
    : { rest: others.length === 1 ? only : { anyOf: others }, isNullable: true }
}

/** Gives what tells a variant of a union from the others: the first property that only this variant requires, or the value of its `type`. */
function mark(variant: Schema, all: readonly Schema[]): string {
  const kind = variant.properties?.['type']?.const
  if (typeof kind === 'string') return capital(kind.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()))
  const others = all.filter((other) => other !== variant)
  return capital(variant.required?.find((name) => !others.some(({ required = [] }) => required.includes(name))) ?? 'empty')
}

/** Breaks a text into lines of at most 110 characters. */
function linesOf(text: string): string[] {
  const lines = ['']
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? ''
    if (last.length + word.length > 109) lines.push(word)
    else lines[lines.length - 1] = `${last}${last === '' ? '' : ' '}${word}`
  }
  return lines
}

/** Writes the types of all bodies, of all answers and of a webhook delivery, each once. `define` gives the code of a type with this name. */
function writeTypes(typeOf: (schema: Schema, name: string) => string): void {
  for (const { id, body, answer } of operations) {
    if (body) typeOf(body, `${capital(id)}Body`)
    if (answer) typeOf(answer, `${capital(id)}Answer`)
  }
  typeOf({ $ref: '#/components/schemas/WebhookDelivery' }, '')
}

function writePython(): string {
  const defined = new Map<string, string>()
  const snake = (text: string) => text.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  const docstring = (text: string, indent: string) => `${indent}"""${linesOf(text).join(`\n${indent}`)}"""`

  function typeOf(schema: Schema, name: string): string {
    const { rest, isNullable } = withoutNull(schema)
    const type = bareType(rest, name)
    return isNullable ? `Optional[${type}]` : type
  }
  function bareType(schema: Schema, name: string): string {
    if (schema.$ref !== undefined) {
      const target = nameOf(schema.$ref)
      return aliases.has(target) ? 'str' : define(target, resolved(schema))
    }
    const same = known.get(JSON.stringify(schema))
    if (same !== undefined && isObject(schema)) return define(same, schema)
    const variants = schema.anyOf ?? schema.oneOf
    if (variants) return `Union[${variants.map((one) => typeOf(one, `${name}${mark(resolved(one), variants.map(resolved))}`)).join(', ')}]`
    if (schema.enum) return `Literal[${schema.enum.map((value) => JSON.stringify(value)).join(', ')}]`
    if (typeof schema.const === 'string') return `Literal[${JSON.stringify(schema.const)}]`
    if (schema.const === true) return 'Literal[True]'
    if (schema.additionalProperties && schema.properties)
      return `Dict[str, Union[str, ${typeOf(schema.additionalProperties, `${name}Value`)}]]`
    if (schema.additionalProperties) return `Dict[str, ${typeOf(schema.additionalProperties, `${name}Value`)}]`
    if (isObject(schema)) return define(name, schema)
    if (schema.items) return `List[${typeOf(schema.items, name)}]`
    return { string: 'str', integer: 'int', number: 'float', boolean: 'bool' }[String(schema.type)] ?? 'Any'
  }
  /** Defines the type of a name once, and gives the name. */
  function define(name: string, schema: Schema): string {
    if (defined.has(name)) return name
    defined.set(name, '')
    const { properties = {}, required = [] } = schema
    if (!isObject(schema)) {
      const type = bareType(schema, name)
      // Names in an alias are quoted, because a type may contain itself.
      const quoted = type.replaceAll(/(?<!["\w.])[A-Z]\w+(?!["\w[])/g, (word) => (['Any', 'True'].includes(word) ? word : `"${word}"`))
      defined.set(name, `${name} = ${quoted}`)
      return name
    }
    const fields = Object.entries(properties).map(([field, of]) => {
      const type = typeOf(of, `${name}${capital(field)}`)
      return [field, required.includes(field) ? type : `NotRequired[${type}]`] as const
    })
    const isPlain = fields.every(([field]) => !['and', 'or', 'not', 'from', 'in', 'is', 'except'].includes(field))
    const text = schema.description === undefined ? [] : [docstring(schema.description, '    '), '']
    const body = fields.length === 0 ? ['    pass'] : fields.map(([field, type]) => `    ${field}: ${type}`)
    const functional = `${name} = TypedDict("${name}", {${fields.map(([field, type]) => `"${field}": ${JSON.stringify(type).replaceAll('\\"', "'")}`).join(', ')}})`
    defined.set(name, isPlain ? [`class ${name}(TypedDict):`, ...text, ...body].join('\n') : functional)
    return name
  }

  writeTypes(typeOf)
  const methods = operations
    .filter(({ id }) => !byHand.has(id))
    .map((operation) => {
      const { id, text, method, path, inPath, query, hasIdempotencyKey, body, isBodyNeeded, answer, isRepeatable } = operation
      const bodyType = body && typeOf(body, `${capital(id)}Body`)
      const given = [
        ...inPath.map((name) => `${snake(name)}: str`),
        ...(bodyType ? [isBodyNeeded ? `body: ${bodyType}` : `body: Optional[${bodyType}] = None`] : []),
        ...(query.length > 0 || hasIdempotencyKey ? ['*'] : []),
        ...query.map((name) => `${snake(name)}: Optional[${name === 'limit' ? 'int' : 'str'}] = None`),
        ...(hasIdempotencyKey ? ['idempotency_key: Optional[str] = None'] : []),
      ]
      const passed = [
        ...(bodyType ? [isBodyNeeded ? 'body=body' : 'body={} if body is None else body'] : []),
        ...(query.length > 0 ? [`query={${query.map((name) => `"${name}": ${snake(name)}`).join(', ')}}`] : []),
        ...(hasIdempotencyKey ? ['idempotency_key=idempotency_key or str(uuid4())'] : []),
        ...(isRepeatable ? ['repeatable=True'] : []),
        '**options',
      ]
      const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `{_part(${snake(name)})}`)
      const answerType = answer ? typeOf(answer, `${capital(id)}Answer`) : 'None'
      return [
        `    def ${snake(id)}(self, ${[...given, '**options: Unpack[CallOptions]'].join(', ')}) -> ${answerType}:`,
        docstring(text, '        '),
        `        return self.request("${method}", ${address === path ? '' : 'f'}"${address}", ${passed.join(', ')})`,
      ].join('\n')
    })

  return `# Made by tools/src/write-clients.ts from docs/openapi.json. Do not change it by hand: \`npm run docs\` writes it anew.
"""The operations of Herald's API that a secret key may call, and the types of their bodies and answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Literal, Mapping, Optional, TypedDict, Union
from urllib.parse import quote
from uuid import uuid4

if TYPE_CHECKING:
    from typing_extensions import NotRequired, Unpack


class CallOptions(TypedDict, total=False):
    """What every method takes; it replaces what the client was made with. Times are in seconds."""

    retries: int
    timeout: float
    total_timeout: float


${[...defined.values()].map((code) => `${code}\n\n`).join('\n')}
def _part(value: str) -> str:
    return quote(value, safe="")


class Operations:
    """One method for each operation. Lists give one page: pass its \`nextCursor\` as \`cursor\` to get the next one."""

    def request(
        self,
        method: str,
        path: str,
        *,
        body: Any = None,
        query: Optional[Mapping[str, Any]] = None,
        idempotency_key: Optional[str] = None,
        repeatable: Optional[bool] = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        raise NotImplementedError

${methods.join('\n\n')}
`
}

function writeGo(): string {
  const defined = new Map<string, string>()
  const goName = (text: string) =>
    capital(text.replace(/^_/, ''))
      .replace(/Id(s?)(?=$|[A-Z])/g, 'ID$1')
      .replace(/^(Url|Ttl|Ios)$/, (word) => word.toUpperCase())
  const comment = (text: string) =>
    linesOf(text)
      .map((line) => `// ${line}\n`)
      .join('')

  /** Whether Go has no type for the values: an object with fixed fields of one kind and further ones of another. */
  const isMixed = (schema: Schema): boolean => {
    const { properties, additionalProperties } = resolved(schema)
    return properties !== undefined && typeof additionalProperties === 'object'
  }

  /** Gives the properties of an object, or of all variants of a union together; a property is required when each variant requires it. */
  function merged(schema: Schema): Schema | undefined {
    const { $ref, anyOf, oneOf } = schema
    if ($ref !== undefined) return merged(resolved(schema))
    const variants = anyOf ?? oneOf
    if (!variants) return isObject(schema) ? schema : undefined
    const objects = variants.map(merged)
    if (!objects.every((one) => one !== undefined)) return undefined
    const all: Record<string, Schema> = {}
    for (const { properties = {} } of objects)
      for (const [name, property] of Object.entries(properties)) all[name] = all[name] ? common(all[name], property) : property
    const required = Object.keys(all).filter((name) => objects.every((one) => one.required?.includes(name)))
    return { type: 'object', properties: all, required, ...(schema.description ? { description: schema.description } : {}) }
  }
  function common(one: Schema, other: Schema): Schema {
    if (JSON.stringify(one) === JSON.stringify(other)) return one
    if (one.type === 'string' && other.type === 'string') return { type: 'string' }
    return merged({ anyOf: [one, other] }) ?? {}
  }

  /** Gives the type of a field. An optional number, truth value or object is a pointer, because its zero means something. */
  function typeOf(schema: Schema, name: string, isOptional = false): string {
    const { rest, isNullable } = withoutNull(schema)
    const type = bareType(rest, name)
    const isZeroAbsent = type === 'string' || rest.const === true
    const isPlain = !/^(\[\]|map\[|any$)/.test(type) && !['Tags', 'TagChanges', 'CustomData'].includes(type)
    return isPlain && (isNullable || (isOptional && !isZeroAbsent)) ? `*${type}` : type
  }
  function bareType(schema: Schema, name: string): string {
    if (schema.$ref !== undefined) {
      const target = nameOf(schema.$ref)
      return aliases.has(target) ? 'string' : define(target, resolved(schema))
    }
    const same = known.get(JSON.stringify(schema))
    if (same !== undefined && isObject(schema)) return define(same, schema)
    if (schema.additionalProperties) {
      const of = typeOf(schema.additionalProperties, `${name}Value`)
      return `map[string]${schema.properties ? 'any' : of}`
    }
    if (merged(schema)) return define(name, schema)
    if (schema.items) return `[]${typeOf(schema.items, name)}`
    return { string: 'string', integer: 'int', number: 'float64', boolean: 'bool' }[String(schema.type)] ?? 'any'
  }
  function define(name: string, schema: Schema): string {
    const own = goName(name)
    if (defined.has(own)) return own
    defined.set(own, '')
    const text = schema.description === undefined ? '' : comment(`${own}: ${schema.description}`)
    const forms = schema.anyOf ?? []
    const fitting = forms.filter((form) => !isMixed(form))
    // Of several forms of one value, the client uses the one that Go can write down.
    if (fitting.length === 1 && fitting.length < forms.length) {
      defined.set(own, `${text}type ${own} = ${bareType(fitting[0] ?? {}, name)}\n`)
      return own
    }
    const [of, ...more] = forms.filter((variant) => variant.maxProperties !== 0)
    if (of?.$ref !== undefined && more.length === 0) {
      defined.set(own, `${text}type ${own} = ${bareType(of, name)}\n`)
      return own
    }
    const object = merged(schema)
    if (!object) {
      defined.set(own, `${text}type ${own} ${bareType(schema, name)}\n`)
      return own
    }
    const { properties = {}, required = [] } = object
    const fields = Object.entries(properties).map(([field, of]) => {
      const isOptional = !required.includes(field)
      return [
        goName(field),
        typeOf(of, `${name}${capital(field)}`, isOptional),
        `\`json:"${field}${isOptional ? ',omitempty' : ''}"\``,
      ] as const
    })
    const widthOf = (column: 0 | 1) => Math.max(...fields.map((field) => field[column].length))
    const lines = fields.map(([field, type, tag]) => `\t${field.padEnd(widthOf(0))} ${type.padEnd(widthOf(1))} ${tag}\n`)
    defined.set(own, `${text}type ${own} struct {\n${lines.join('')}}\n`)
    return own
  }

  writeTypes(typeOf)
  const methods = operations
    .filter(({ id }) => !byHand.has(id))
    .map(({ id, text, method, path, inPath, query, hasIdempotencyKey, body, answer, isRepeatable }) => {
      const name = goName(id)
      const bodyType = body && typeOf(body, `${capital(id)}Body`)
      const given = [
        'ctx context.Context',
        ...inPath.map((part) => `${part} string`),
        ...(bodyType ? [`body ${bodyType}`] : []),
        ...(query.length > 0 ? [isList(query) ? 'query ListQuery' : 'query url.Values'] : []),
        ...(hasIdempotencyKey ? ['idempotencyKey string'] : []),
      ]
      const call = [
        ...(bodyType ? ['Body: body'] : []),
        ...(query.length > 0 ? [isList(query) ? 'Query: query.values()' : 'Query: query'] : []),
        ...(hasIdempotencyKey ? ['IdempotencyKey: keyOr(idempotencyKey)'] : []),
        ...(isRepeatable ? ['Repeatable: true'] : []),
      ]
      const address = path
        .split(/(\{\w+\})/)
        .filter((part) => part !== '')
        .map((part) => (part.startsWith('{') ? `url.PathEscape(${part.slice(1, -1)})` : `"${part}"`))
        .join('+')
      const asked = `"${method}", ${address}, Call{${call.join(', ')}}`
      const own = hasIdempotencyKey ? ' With an empty idempotencyKey one is made for the call.' : ''
      const type = answer && typeOf(answer, `${capital(id)}Answer`)
      const signature = `func (c *Client) ${name}(${given.join(', ')})`
      return type === undefined
        ? `${comment(`${name}: ${text}${own}`)}${signature} error {\n\treturn c.Request(ctx, ${asked}, nil)\n}\n`
        : `${comment(`${name}: ${text}${own}`)}${signature} (*${type}, error) {\n\treturn ask[${type}](ctx, c, ${asked})\n}\n`
    })

  return `// Code generated by tools/src/write-clients.ts from docs/openapi.json. DO NOT EDIT.

package herald

import (
\t"context"
\t"net/url"
)

${[...defined.values(), ...methods].join('\n')}`
}

const [language] = process.argv.slice(2)
if (language === 'python') process.stdout.write(writePython())
else if (language === 'go') process.stdout.write(writeGo())
else throw new Error('tools/src/write-clients.ts: name a language, python or go')
