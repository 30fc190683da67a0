import { expect, test } from 'vitest'
import { administrationRoutes, openApiDocument, publicRoutes, routes } from './routes.ts'

const paths = openApiDocument.paths ?? {}

test('no two routes share a name, nor a method and path', () => {
  expect(new Set(routes.map(({ name }) => name)).size).toBe(routes.length)
  expect(new Set(routes.map(({ method, path }) => `${method} ${path}`)).size).toBe(routes.length)
})

test('every route that takes a key names the scope it needs', () => {
  expect(publicRoutes.filter(({ key, scope }) => (key === 'none') !== (scope === undefined)).map(({ name }) => name)).toEqual([])
})

test('the document describes every public route, and nothing of the administration', () => {
  for (const { method, path, name } of publicRoutes) {
    expect(paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method]).toMatchObject({ operationId: name })
  }
  expect(Object.keys(paths).filter((path) => path.startsWith('/v1/admin'))).toEqual([])
  expect(administrationRoutes.every(({ path, key }) => path.startsWith('/v1/admin/') && key === 'admin')).toBe(true)
})

test('every reference in the document leads somewhere', () => {
  const references = [...JSON.stringify(openApiDocument).matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference]) => reference ?? '')
  const found = (reference: string) =>
    reference
      .replace(/^#\//, '')
      .split('/')
      .reduce<unknown>(
        (place, name) => (typeof place === 'object' && place !== null ? Reflect.get(place, name) : undefined),
        openApiDocument,
      )

  expect(references.length).toBeGreaterThan(10)
  expect(references.filter((reference) => found(reference) === undefined)).toEqual([])
})

test('every route says which errors it answers, in the one shape', () => {
  for (const path of Object.values(paths)) {
    for (const operation of Object.values(path) as { responses: Record<string, { content?: Record<string, { schema: object }> }> }[]) {
      const errors = Object.entries(operation.responses).filter(([status]) => Number(status) >= 400 && status !== '503')
      for (const [, response] of errors)
        expect(response.content?.['application/json']?.schema).toEqual({ $ref: '#/components/schemas/Error' })
    }
  }
})
