import { Code } from './Code.tsx'

/** Shows a value as JSON. */
export function Json({ value }: { value: unknown }) {
  return <Code text={JSON.stringify(value, null, 2)} language="JSON" />
}
