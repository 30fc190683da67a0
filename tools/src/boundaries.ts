import { existsSync, globSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { parseSync, Visitor } from 'oxc-parser'
import { z } from 'zod'
import { isBuiltHere, mayImportFile, mayImportPackage, mayReadEnvironment, placeOf, type Import } from './boundary-rules.ts'

/** A place where a file breaks a rule, with a sentence that says which. */
export type Finding = { file: string; line: number; message: string }

type Project = { directory: string; name: string; declared: Set<string>; declaredForTests: Set<string> }

/** Checks every source file of the workspace below `root` against the import rules (boundary-rules.ts). Gives the places that break them. */
export function checkBoundaries(root: string): { files: number; findings: Finding[] } {
  const projects = readProjects(root)
  let files = 0
  const findings: Finding[] = []
  for (const project of projects) {
    for (const file of globSync('{src,tests}/**/*.{ts,tsx}', { cwd: join(root, project.directory) }).toSorted()) {
      files += 1
      const path = join(project.directory, file)
      const source = readFileSync(join(root, path), 'utf8')
      const found = checkFile({ project, projects, file, source })
      findings.push(...found.map(({ line, message }) => ({ file: path, line, message })))
    }
  }
  return { files, findings }
}

function checkFile({
  project,
  projects,
  file,
  source,
}: {
  project: Project
  projects: Project[]
  file: string
  source: string
}): Omit<Finding, 'file'>[] {
  const { imports, environmentReads } = readSource(file, source)
  const findings: Omit<Finding, 'file'>[] = []
  const place = placeOf(project.directory, file)
  const isTest = place.name === 'a test'

  for (const each of imports) {
    const { specifier, line, isType } = each
    if (specifier.startsWith('.') || specifier.startsWith('/')) {
      const target = relative('/project', resolve('/project', dirname(file), specifier))
      if (target.startsWith('..') || specifier.startsWith('/')) findings.push({ line, message: `${specifier} leaves ${project.directory}` })
      else if (!mayImportFile(place, project.directory, target.replace(/^src\//, ''), isType))
        findings.push({ line, message: `${place.name} may not import ${target}` })
      continue
    }
    if (!mayImportPackage(place, each)) {
      findings.push({ line, message: `${place.name} may not import ${isType ? 'a type from ' : ''}${specifier}` })
    }
    if (isBuiltin(specifier)) continue
    const name = packageOf(specifier)
    const isApp = projects.some((other) => other.name === name && other.directory.startsWith('apps/'))
    if (isApp && name !== project.name && project.directory !== 'apps/server') {
      findings.push({ line, message: `${specifier} is a program of apps/, which only apps/server may import` })
    }
    const isDeclared =
      project.declared.has(name) ||
      name === project.name ||
      ((isTest || isType || isBuiltHere(project.directory)) && project.declaredForTests.has(name))
    if (!isDeclared) findings.push({ line, message: `${name} is not declared in ${project.directory}/package.json` })
  }
  if (!mayReadEnvironment(project.directory, file)) {
    findings.push(...environmentReads.map((line) => ({ line, message: 'process.env is read in libs/service/src/config.ts alone' })))
  }
  return findings
}

function readSource(file: string, source: string): { imports: Import[]; environmentReads: number[] } {
  const { module, program, errors } = parseSync(file, source)
  if (errors[0] !== undefined) throw new Error(`${file} cannot be parsed: ${errors[0].message}`)
  const lineAt = (offset: number) => source.slice(0, offset).split('\n').length
  const imports: Import[] = []
  for (const { moduleRequest, entries, start } of module.staticImports) {
    // `import type` has its flag on every entry; a bare `import 'x'` has no entry and runs the module.
    imports.push({
      specifier: moduleRequest.value,
      isType: entries.length > 0 && entries.every((entry) => entry.isType),
      line: lineAt(start),
    })
  }
  for (const { entries, start } of module.staticExports) {
    for (const { moduleRequest, isType } of entries) {
      if (moduleRequest !== null) imports.push({ specifier: moduleRequest.value, isType, line: lineAt(start) })
    }
  }
  for (const { moduleRequest, start } of module.dynamicImports) {
    const literal = /^(['"`])([^$]*)\1$/.exec(source.slice(moduleRequest.start, moduleRequest.end))
    if (literal?.[2] !== undefined) imports.push({ specifier: literal[2], isType: false, line: lineAt(start) })
  }

  const environmentReads: number[] = []
  const visitor = new Visitor({
    MemberExpression({ object, property, computed, start }) {
      const key = property.type === 'Identifier' && !computed ? property.name : property.type === 'Literal' ? property.value : undefined
      if (object.type === 'Identifier' && object.name === 'process' && key === 'env') environmentReads.push(lineAt(start))
    },
    VariableDeclarator({ id, init, start }) {
      if (init?.type !== 'Identifier' || init.name !== 'process' || id.type !== 'ObjectPattern') return
      const names = id.properties.map((property) =>
        property.type === 'Property' && property.key.type === 'Identifier' ? property.key.name : '',
      )
      if (names.includes('env')) environmentReads.push(lineAt(start))
    },
  })
  visitor.visit(program)
  for (const { moduleRequest, entries, start } of module.staticImports) {
    const named = entries.some((entry) => entry.importName.name === 'env')
    if (/^(node:)?process$/.test(moduleRequest.value) && named) environmentReads.push(lineAt(start))
  }
  return { imports, environmentReads }
}

const Workspace = z.object({ workspaces: z.array(z.string()) })
const dependencies = z.record(z.string(), z.string()).default({})
const Package = z.object({
  name: z.string(),
  dependencies,
  optionalDependencies: dependencies,
  peerDependencies: dependencies,
  devDependencies: dependencies,
})

function readProjects(root: string): Project[] {
  const { workspaces } = Workspace.parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')))
  const directories = workspaces
    .flatMap((pattern) => globSync(pattern, { cwd: root }))
    .filter((directory) => existsSync(join(root, directory, 'package.json')))
  return directories.toSorted().map((directory) => {
    const manifest = Package.parse(JSON.parse(readFileSync(join(root, directory, 'package.json'), 'utf8')))
    return {
      directory,
      name: manifest.name,
      declared: new Set(Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies, ...manifest.peerDependencies })),
      declaredForTests: new Set(Object.keys(manifest.devDependencies)),
    }
  })
}

const isBuiltin = (specifier: string): boolean => specifier.startsWith('node:') || builtinModules.includes(specifier)

/** Gives the package of an import: `@scope/name/file` and `name/file` belong to the packages `@scope/name` and `name`. */
const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
