import { givenTenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import type { Browser } from 'puppeteer-core'
import { expect, test } from 'vitest'
import web from '../../sdks/web/package.json' with { type: 'json' }
import { startAutopush, type Autopush } from '../browser/autopush.ts'
import { openFirefox } from '../browser/browsers.ts'
import { watch } from '../browser/watch.ts'
import { sharedPlatform } from '../platform.ts'
import { makeProject, promised, taken, type Project } from './project.ts'
import { asPromised, receive } from './receiving.ts'

// Projects of strangers, outside the repository and on Node 20: they install the packages that Herald serves and the frameworks in these versions, and
// contain the guide's code. Newer versions of a framework are tried by changing its number here.

const versions = {
  '@nestjs/common': '11.2.10',
  '@nestjs/core': '11.2.10',
  '@nestjs/platform-express': '11.2.10',
  '@nestjs/testing': '11.2.6',
  '@types/express': '5.0.6',
  '@types/jest': '30.0.0',
  '@types/node': '20.19.43',
  '@types/react': '19.3.3',
  '@types/react-dom': '19.3.0',
  '@vitejs/plugin-react': '6.3.0',
  '@vitejs/plugin-vue': '6.0.11',
  express: '5.3.0',
  fastify: '5.12.8',
  jest: '30.5.2',
  next: '16.4.6',
  react: '19.3.1',
  'react-dom': '19.3.1',
  'reflect-metadata': '0.2.2',
  rxjs: '7.8.2',
  'ts-jest': '29.4.15',
  typescript: '5.9.3',
  vite: '8.4.0',
  vue: '3.5.45',
  'vue-tsc': '3.3.14',
}

const herald = await sharedPlatform()
const addressOf = (name: string) => `${herald.baseUrl}/sdk/v1/${name}-${web.version}.tgz`

/** Installs packages, and fails when npm warns, as it does of a peer dependency that is not right. */
async function install(project: Project, packages: readonly string[], names: readonly (keyof typeof versions)[], others: string[] = []) {
  const registry = names.map((name) => `${name}@${versions[name]}`)
  const printed = await project.run(
    `npm install --no-audit --no-fund --save-exact ${[...packages.map(addressOf), ...registry, ...others].join(' ')}`,
  )
  expect(printed.split('\n').filter((line) => /peer|ERESOLVE/i.test(line))).toEqual([])
}

const strict = { strict: true, skipLibCheck: false, target: 'es2022', outDir: 'dist', rootDir: 'src' }
const backend = (module: string, more = {}) => ({
  include: ['src'],
  compilerOptions: { ...strict, module, lib: ['es2022'], types: ['node'], ...more },
})

// spec: webhooks/signature, administration/packages-served
test.each([
  ['Express 4', 'CommonJS', ['typescript', '@types/node'], ['express@4.22.3', '@types/express@4.17.25'], 'import express', 'node16'],
  ['Express 5', 'ES modules', ['typescript', '@types/node', 'express', '@types/express'], [], 'import express', 'nodenext'],
  ['Fastify', 'ES modules', ['typescript', '@types/node', 'fastify'], [], 'import Fastify', 'nodenext'],
] as const)(
  'a project of %s in %s with the guide’s code compiles, takes a signed webhook and survives an unsigned one',
  async (_name, format, names, others, words, module) => {
    const project = await makeProject(herald.baseUrl)
    project.write({
      'package.json': { private: true, type: format === 'CommonJS' ? 'commonjs' : 'module' },
      'tsconfig.json': backend(module, format === 'CommonJS' ? { esModuleInterop: true } : {}),
      'src/server.ts': project.block('webhooks', words),
    })
    await install(project, ['node'], names, [...others])
    await project.run('tsc -p .')
    expect(await receive(herald, project, 'node dist/server.js')).toEqual(asPromised)
  },
)

// spec: webhooks/signature, administration/packages-served
test('a project of NestJS with the guide’s code compiles, passes its test in Jest and takes a signed webhook', async () => {
  const project = await makeProject(herald.baseUrl)
  project.write({
    'package.json': { private: true, jest: { preset: 'ts-jest', rootDir: 'src' } },
    'tsconfig.json': backend('node16', { experimentalDecorators: true, emitDecoratorMetadata: true, types: ['node', 'jest'] }),
    'src/herald.controller.ts': project.block('webhooks', '// src/herald.controller.ts'),
    'src/herald.controller.spec.ts': project.block('webhooks', '// src/herald.controller.spec.ts'),
    'src/main.ts': project.block('webhooks', '// src/main.ts'),
  })
  const nest = ['@nestjs/common', '@nestjs/core', '@nestjs/platform-express', '@nestjs/testing', 'reflect-metadata', 'rxjs'] as const
  await install(project, ['node'], [...nest, '@types/express', '@types/node', '@types/jest', 'jest', 'ts-jest', 'typescript'])
  await project.run('tsc -p .')
  expect(await project.run('npx jest', { HERALD_WEBHOOK_SECRET: 'whsec_test' })).toContain('1 passed')
  expect(await receive(herald, project, 'node dist/main.js')).toEqual(asPromised)
})

// spec: administration/packages-served
test('on Node 20 the guide’s programs send, in CommonJS and as ES modules, and require names what import names', async () => {
  const tenant = await givenTenant(herald)
  const [device] = await tenant.makeDevices('android', 1)
  if (device) await tenant.register(device, { externalId: 'customer-7' })
  const project = await makeProject(herald.baseUrl)
  project.write({
    'package.json': { private: true },
    'send.cjs': project.block('server', "require('@herald/node')"),
    'send.mjs': project.block('server', 'settled(id, { timeoutMs: 60_000 })\nconsole.log').replace('order-17', 'order-18'),
  })
  await install(project, ['node'], [])
  const env = { BASE: herald.baseUrl, SECRET: tenant.secretKey }
  expect(await project.run('node --version')).toMatch(/^v20\./)
  expect(await project.run('node send.cjs', env)).toBe('1 1 0 0\n')
  expect(await project.run('node send.mjs', env)).toBe('1 1 0 0\n')
  const names = 'console.log(Object.keys(all).sort().join())'
  expect(await project.run(`node -e "const all = require('@herald/node'); ${names}"`)).toBe(
    await project.run(`node --input-type=module -e "import * as all from '@herald/node'; ${names}"`),
  )
})

let firefox: Promise<[Autopush, Browser]> | undefined
const openBrowser = () =>
  (firefox ??= (async () => {
    const autopush = await startAutopush(herald.dataDir)
    return [autopush, await openFirefox({ pushService: autopush.url })]
  })())

/** Opens the page of a built project, clicks its button, and lets Herald send to the browser: the worker has shown what it reports as delivered. */
async function subscribes(project: Project, tenant: Awaited<ReturnType<typeof givenTenant>>): Promise<void> {
  const [, browser] = await openBrowser()
  const page = await browser.newPage()
  const watched = watch(page, { origins: [herald.baseUrl] })
  await page.goto(`http://127.0.0.1:${project.port}/`)
  await page.waitForSelector('button:not([disabled])', { timeout: 60_000 })
  await page.click('button')
  await page.waitForFunction("document.body.innerText.includes('You hear from us.')", { timeout: 60_000 })
  const content = { _default: 'en', en: { title: 'Shipped', body: 'It arrives today' } }
  const { body } = await tenant.call<{ id: string }>('POST', '/v1/notifications', { target: { all: true }, content })
  const stats = async () => (await tenant.call<{ stats: Record<string, number> }>('GET', `/v1/campaigns/${body.id}/stats`)).body.stats
  await until(async () => (await stats())['delivered'] === 1, { what: 'the push is shown' })
  expect(watched.faults).toEqual([])
  await page.close()
}

const page = (script: string, body: string) =>
  `<!doctype html><html lang="en"><head><title>Shop</title><link rel="icon" href="data:,"></head><body>${body}<script type="module" src="${script}"></script></body></html>`
const bundled = {
  include: ['src'],
  compilerOptions: {
    ...strict,
    noEmit: true,
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['es2022', 'dom', 'dom.iterable'],
    types: [],
  },
}

/** Makes a project of a web page, with the package and the worker as the guide says. */
async function makeWebProject() {
  const tenant = await givenTenant(herald)
  const project = await makeProject(herald.baseUrl, tenant.publicKey)
  project.write({ 'package.json': { private: true, type: 'module' } })
  await project.run(project.block('frameworks', 'public/herald-sw.js'))
  return { tenant, project }
}

// spec: administration/packages-served
test('a project of Vite and React with the guide’s code builds without a warning, and its page gets a push', async () => {
  const { tenant, project } = await makeWebProject()
  project.write({
    'tsconfig.json': { ...bundled, compilerOptions: { ...bundled.compilerOptions, jsx: 'react-jsx' } },
    'vite.config.js': `import react from '@vitejs/plugin-react'\nexport default { plugins: [react()] }`,
    'index.html': page('/src/main.tsx', '<div id="root"></div><herald-ask kind="bell" lang="de"></herald-ask>'),
    'src/main.tsx': `import { createRoot } from 'react-dom/client'\nimport './ask'\nimport { App } from './push'\ncreateRoot(document.querySelector('#root')!).render(<App />)`,
    'src/push.tsx': project.block('frameworks', 'function PushButton'),
    'src/ask.ts': project.block('frameworks', 'defineAsk'),
  })
  await install(project, [], ['react', 'react-dom', '@types/react', '@types/react-dom', 'vite', '@vitejs/plugin-react', 'typescript'])
  await project.run('tsc -p .')
  expect(await project.run('vite build')).not.toMatch(/warn/i)
  await project.start(`vite preview --host 127.0.0.1 --port ${project.port} --strictPort`)
  await subscribes(project, tenant)
})

// spec: administration/packages-served
test('a project of Vue with the guide’s code builds without a warning, and its page gets a push', async () => {
  const { tenant, project } = await makeWebProject()
  project.write({
    'tsconfig.json': bundled,
    'vite.config.js': `import vue from '@vitejs/plugin-vue'\nexport default { plugins: [vue()] }`,
    'index.html': page('/src/main.ts', '<div id="root"></div>'),
    'src/main.ts': `import { createApp } from 'vue'\nimport App from './App.vue'\ncreateApp(App).mount('#root')`,
    'src/App.vue': project.block('frameworks', '<script setup'),
  })
  await install(project, [], ['vue', 'vite', '@vitejs/plugin-vue', 'vue-tsc', 'typescript'])
  await project.run('vue-tsc -p .')
  expect(await project.run('vite build')).not.toMatch(/warn/i)
  await project.start(`vite preview --host 127.0.0.1 --port ${project.port} --strictPort`)
  await subscribes(project, tenant)
})

// spec: webhooks/signature, administration/packages-served
test('a project of Next.js with the guide’s code builds with Turbopack, gets a push and takes a webhook', async () => {
  const { tenant, project } = await makeWebProject()
  project.write({
    'app/layout.tsx': project.block('frameworks', 'function Layout'),
    'app/page.tsx': `export { App as default } from './push'`,
    'app/push.tsx': `'use client'\n${project.block('frameworks', 'function PushButton')}`,
    'app/hooks/herald/route.ts': project.block('webhooks', 'export const POST'),
  })
  await install(project, ['node'], ['next', 'react', 'react-dom', '@types/react', '@types/react-dom', '@types/node', 'typescript'])
  const printed = await project.run('next build')
  expect(printed).toContain('Turbopack')
  expect(printed).not.toMatch(/warn/i)
  expect(await receive(herald, project, `next start -H 127.0.0.1 -p ${project.port}`)).toEqual(asPromised)
  await subscribes(project, tenant)
})

/** One use of each entry of @herald/web, and of @herald/node. */
const entries = {
  'web.ts': `import { init, type Herald, type State } from '@herald/web'
import { openCategories } from '@herald/web/categories'
import { trackConversion } from '@herald/web/conversions'
import { openInbox } from '@herald/web/inbox'
import { HeraldProvider, usePush as usePushOfReact } from '@herald/web/react'
import { pushStore } from '@herald/web/svelte'
import { defineAsk } from '@herald/web/ui'
import { usePush as usePushOfVue } from '@herald/web/vue'
import { start } from '@herald/web/worker'
export const options = { baseUrl: 'https://push.example.com', appKey: 'pk_live_a' }
export const herald: Herald = init(options)
export const state: Promise<State> = herald.subscribe({ tags: { plan: 'pro' } })
export const all = [openCategories(herald, options), trackConversion, openInbox, HeraldProvider, usePushOfReact, pushStore, defineAsk, usePushOfVue, start]
// @ts-expect-error an option that does not exist
init({ ...options, serviceWorker: '/sw.js' })
`,
  'node.ts': `import { Herald, webhooks } from '@herald/node'
export const herald = new Herald({ baseUrl: 'https://push.example.com', key: 'sk_live_x' })
export const receiver = webhooks.handler({ secrets: 'a', on: { 'notification.failed': (event) => event.data.code.toUpperCase() } })
// @ts-expect-error a type of event that does not exist
webhooks.handler({ secrets: 'a', on: { 'notification.fialed': () => undefined } })
`,
}

// spec: administration/packages-served
test('every entry of the packages compiles strictly in nodenext, node16 and bundler, in TypeScript 5.9 and 7', async () => {
  const project = await makeProject(herald.baseUrl)
  project.write({ 'package.json': { private: true, type: 'module' }, ...entries, 'node.cts': entries['node.ts'] })
  const compilers = ['typescript-5@npm:typescript@5.9.3', 'typescript-7@npm:typescript@7.0.2']
  await install(project, ['web', 'node'], ['react', '@types/react', 'vue', '@types/node'], compilers)
  const page = { files: ['web.ts', 'node.ts', 'node.cts'], lib: ['es2022', 'dom', 'dom.iterable'] }
  const configs = {
    nodenext: { ...page, module: 'nodenext' },
    node16: { ...page, module: 'node16' },
    bundler: { ...page, files: ['web.ts', 'node.ts'], module: 'esnext', moduleResolution: 'bundler' },
    'without the names of a browser': { files: ['node.ts', 'node.cts'], lib: ['es2022'], module: 'nodenext' },
  }
  for (const [name, { files, ...more }] of Object.entries(configs)) {
    const compilerOptions = { strict: true, skipLibCheck: false, noEmit: true, target: 'es2022', types: ['node'], ...more }
    project.write({ 'tsconfig.json': { files, compilerOptions } })
    for (const compiler of ['typescript-5', 'typescript-7'])
      expect([name, compiler, await project.run(`node node_modules/${compiler}/bin/tsc -p .`).catch(String)]).toEqual([name, compiler, ''])
  }
})

test('every block that the guide marks as part of a project has been in one', () => {
  expect(promised.filter((block) => !taken.has(block)).map(({ page: of, line }) => `docs/${of}:${line}`)).toEqual([])
})
