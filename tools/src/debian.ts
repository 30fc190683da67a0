import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './workspace.ts'

const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg'

/**
 * Unpacks packages of Debian into `.tools/<name>` once and gives that folder: an installed server would start. `suite`: another than the machine's,
 * such as `sid`. `isWhole`: with all that the packages need, for chroot. Throws when something is missing.
 */
export function unpackDebian(name: string, packages: readonly string[], suite?: string, isWhole = false): string {
  const folder = join(root, '.tools', name)
  const done = join(folder, 'unpacked')
  if (existsSync(done)) return folder
  rmSync(folder, { recursive: true, force: true })
  const archives = join(folder, 'archives')
  mkdirSync(archives, { recursive: true })
  console.log(`herald: fetching ${packages[0]} from Debian`)
  try {
    const options = suite === undefined ? [] : listsOf(suite, join(folder, 'apt'))
    const apt = (...asked: string[]) =>
      execFileSync('apt-get', [...options, ...asked], { cwd: archives, stdio: ['ignore', 'ignore', 'pipe'] })
    if (suite !== undefined) apt('update')
    if (isWhole) downloadWhole(apt, archives, packages)
    else apt('download', ...packages)
  } catch (error) {
    const why = error instanceof Error && 'stderr' in error ? String(error.stderr).trim().slice(-300) : String(error)
    throw new Error(`${packages[0]} could not be fetched from Debian (is this Debian, and did \`apt-get update\` run?): ${why}`, {
      cause: error,
    })
  }
  // base-files has the links of the top level (`lib` to `usr/lib`), so it comes first.
  const files = globSync('*.deb', { cwd: archives }).toSorted((one, other) => rank(one) - rank(other))
  for (const archive of files) execFileSync('dpkg', ['-x', join(archives, archive), folder])
  if (isWhole) rmSync(archives, { recursive: true })
  writeFileSync(done, '')
  return folder
}

const rank = (archive: string): number => Number(!archive.startsWith('base-files_'))

/** Downloads packages and all that they need, as for a machine on which nothing is installed. */
function downloadWhole(apt: (...asked: string[]) => unknown, archives: string, packages: readonly string[]): void {
  mkdirSync(join(archives, 'partial'))
  const nothingInstalled = ['-o', 'Dir::State::status=/dev/null', '-o', `Dir::Cache::archives=${archives}`]
  apt(...nothingInstalled, '--no-install-recommends', '--download-only', '-y', 'install', ...packages)
}

/** Gives the options with which apt-get reads another suite from the machine's mirror, without a change to the machine. */
function listsOf(suite: string, folder: string): string[] {
  for (const part of ['lists', 'cache/archives/partial']) mkdirSync(join(folder, part), { recursive: true })
  const sources = globSync(['/etc/apt/sources.list', '/etc/apt/sources.list.d/*.{list,sources}']).map((file) => readFileSync(file, 'utf8'))
  const [mirror] = /^(?!#).*?\bhttps?:\/\/\S+/m.exec(sources.join('\n'))?.[0].match(/https?:\/\/\S+/) ?? []
  if (mirror === undefined) throw new Error('apt has no source')
  const list = join(folder, `${suite}.list`)
  writeFileSync(list, `deb [signed-by=${keyring}] ${mirror} ${suite} main\n`)
  const settings = {
    'Etc::sourcelist': list,
    'Etc::sourceparts': '/dev/null',
    'State::lists': join(folder, 'lists'),
    Cache: join(folder, 'cache'),
  }
  return Object.entries(settings).flatMap(([name, value]) => ['-o', `Dir::${name}=${value}`])
}
