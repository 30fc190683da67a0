import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Parser from 'tree-sitter'
import Swift from 'tree-sitter-swift'

/** Gives what a parser of Swift does not understand, by file or block of code. The parser knows the grammar, but no types. */
export function faultsOfSwift(root: string): { name: string; faults: string[] }[] {
  const parser = new Parser()
  parser.setLanguage(Swift as unknown as Parser.Language)
  const files = globSync(['sdks/swift/*.swift', 'sdks/{capacitor,flutter}/**/*.swift'], {
    cwd: root,
    exclude: ['**/node_modules/**', '**/dist/**'],
  })
  const sources = files.map((name) => ({ name, text: readFileSync(join(root, name), 'utf8') }))
  for (const page of globSync('docs/guide/*.md', { cwd: root })) {
    const blocks = readFileSync(join(root, page), 'utf8').matchAll(/^```swift check\n([\s\S]*?)^```$/gm)
    for (const [place, [, text]] of [...blocks].entries()) sources.push({ name: `${page}, block ${place + 1}`, text: text ?? '' })
  }
  return sources.map(({ name, text }) => ({ name, faults: faultsOf(parser, text) }))
}

function faultsOf(parser: Parser, text: string): string[] {
  // The text is given in pieces, because the parser takes at most 32 KB at once.
  const tree = parser.parse((offset: number) => text.slice(offset, offset + 4_096))
  const faults: string[] = []
  const look = (node: Parser.SyntaxNode): void => {
    if (node.type === 'ERROR' || node.isMissing)
      faults.push(`line ${node.startPosition.row + 1}: ${text.slice(node.startIndex, node.endIndex).slice(0, 60)}`)
    else if (node.hasError) node.children.forEach(look)
  }
  look(tree.rootNode)
  return faults
}
