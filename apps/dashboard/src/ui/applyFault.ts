import type { FieldValues, Path, UseFormSetError } from 'react-hook-form'
import { faultOf } from '../api/fault.ts'

/**
 * Shows each mistake of a refused request at its field of the form, and gives the mistakes that belong to no field, for FormErrors. When `fields` is
 * given, only these paths and those below them are fields.
 */
export function applyFault<Values extends FieldValues>(
  setError: UseFormSetError<Values>,
  error: unknown,
  fields?: readonly string[],
): { path: string; message: string }[] {
  const { details, message } = faultOf(error)
  if (details.length === 0) return [{ path: '', message }]
  const left: { path: string; message: string }[] = []
  for (const detail of details) {
    const path = detail.path.replaceAll(/\[(\d+)\]/g, '.$1')
    const isField =
      fields === undefined
        ? path !== '' && !/^(headers|query|params)\./.test(path)
        : fields.some((field) => path === field || path.startsWith(`${field}.`))
    if (isField) setError(path as Path<Values>, { type: 'server', message: detail.message })
    else left.push(detail)
  }
  return left
}
