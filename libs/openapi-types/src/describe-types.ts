import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript'
import ts from 'typescript'

const { factory } = ts

/**
 * Gives the TypeScript types of an OpenAPI document (`from` is its name) as source text. `ContentMap` is written here: the generator's type has no
 * value, because its index signature refuses the string of `_default`.
 */
export async function describeTypes(document: OpenAPI3, from: string): Promise<string> {
  const nodes = await openapiTS(document, {
    alphabetize: false,
    transform(_schema, { path }) {
      return path === '#/components/schemas/ContentMap' ? contentMap() : undefined
    },
  })
  return `// Generated from ${from} by \`npm run docs\`. Change the API's description instead.\n${astToString(nodes)}`
}

/** `{ _default: string; [locale: string]: components['schemas']['LocaleEntry'] | string }` */
function contentMap(): ts.TypeLiteralNode {
  const text = factory.createKeywordTypeNode(ts.SyntaxKind.StringKeyword)
  const schemas = factory.createIndexedAccessTypeNode(
    factory.createTypeReferenceNode('components'),
    factory.createLiteralTypeNode(factory.createStringLiteral('schemas')),
  )
  const entry = factory.createIndexedAccessTypeNode(schemas, factory.createLiteralTypeNode(factory.createStringLiteral('LocaleEntry')))
  return factory.createTypeLiteralNode([
    factory.createPropertySignature(undefined, '_default', undefined, text),
    factory.createIndexSignature(
      undefined,
      [factory.createParameterDeclaration(undefined, undefined, 'locale', undefined, text)],
      factory.createUnionTypeNode([entry, text]),
    ),
  ])
}
