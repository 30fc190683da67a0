import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { until } from '@herald/testing/until'
import { afterEach, expect, test } from 'vitest'
import { buildPages, isBuilt, type PageBuild } from './pages.ts'

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

const directories: string[] = []
afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true })
})

const build: PageBuild = { name: 'the page', script: 'page/build.mjs', sources: ['page'], output: 'page/dist' }
/** A build program that writes a line for each build, so that a test sees how often it ran. */
const working = `import { appendFileSync, mkdirSync } from 'node:fs'
mkdirSync('page/dist', { recursive: true })
appendFileSync('page/dist/index.html', 'built\\n')`

/** Makes a repository with one page and a program that builds the page. */
function givenRepository(script = working) {
  const directory = mkdtempSync(join(tmpdir(), 'herald-pages-'))
  directories.push(directory)
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), text)
  }
  write('page/build.mjs', script)
  write('page/src/main.ts', 'export const title = 1')
  const said: string[] = []
  const run = (more: { withinMs?: number } = {}) => buildPages([build], { directory, print: (line) => said.push(line), ...more })
  const builds = () => {
    const file = join(directory, 'page/dist/index.html')
    return existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0
  }
  return { directory, write, said, run, builds }
}

test('a page is built once, and again when a source has changed, but not for a test', async () => {
  const { directory, write, run, builds } = givenRepository()
  expect(await run()).toEqual([])
  expect(await run()).toEqual([])
  expect([builds(), isBuilt(build, directory)]).toEqual([1, true])

  write('page/src/main.test.ts', 'test')
  await run()
  expect(builds()).toBe(1)
  for (const path of ['page/src/main.ts', 'page/src/other.ts', 'page/build.mjs', 'package-lock.json']) {
    write(path, path === 'page/build.mjs' ? `${working}\n` : 'export const title = 2')
    expect(isBuilt(build, directory)).toBe(false)
    await run()
  }
  expect(builds()).toBe(5)
})

test('of three starts at the same time in one directory only one builds a page', async () => {
  const { run, builds } = givenRepository()
  await Promise.all([run(), run(), run()])
  expect(builds()).toBe(1)
})

test('a build that fails says why, and the next start builds the page again', async () => {
  const { run, said, write, builds } = givenRepository(`console.error('no such module: uplot'); process.exit(3)`)
  expect(await run()).toEqual(['the page'])
  expect(said.join('\n')).toContain('The page could not be built: node page/build.mjs ended with 3')
  expect(said.join('\n')).toContain('no such module: uplot')
  write('page/build.mjs', working)
  expect([await run(), builds()]).toEqual([[], 1])
})

test('a build that hangs is stopped and reported as failed', async () => {
  const { run, said } = givenRepository('setInterval(() => undefined, 1000)')
  expect(await run({ withinMs: 300 })).toEqual(['the page'])
  expect(said.join('\n')).toContain('it did not end within 0.3 s')
})

test('a build stops when the process that began it is killed', async () => {
  const { directory } = givenRepository(`import { writeFileSync } from 'node:fs'
writeFileSync('building', String(process.pid))
setInterval(() => undefined, 1000)`)
  const program = `import { buildPages } from ${JSON.stringify(join(import.meta.dirname, 'pages.ts'))}
await buildPages(${JSON.stringify([build])}, { directory: ${JSON.stringify(directory)}, print: () => undefined })`
  const starter = spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: 'ignore' })
  const pidFile = join(directory, 'building')
  const pid = await until(() => existsSync(pidFile) && Number(readFileSync(pidFile, 'utf8')), { what: 'the build' })
  starter.kill('SIGKILL')
  await until(() => !isRunning(pid), { what: 'the end of the build' })
  expect(pid).not.toBe(starter.pid)
})

test('an ended process’ lock delays no build, and a page without its builder is left out', async () => {
  const { directory, write, run, builds } = givenRepository()
  // No process can have this pid: it is above the largest that Linux gives.
  write('page/.dist.lock', '4194305')
  await run()
  expect(builds()).toBe(1)

  const none: PageBuild = { ...build, script: 'page/absent.ts', output: 'elsewhere' }
  expect(await buildPages([none], { directory, print: () => undefined })).toEqual([])
})
