import { useCategories } from '../../api/useCategories.ts'
import { whoIsIn } from '../../core/category-text.ts'
import { useAppId } from '../../session/useAppId.ts'
import { Field } from '../Field.tsx'
import { Select } from '../Select.tsx'

/** Lets the operator choose the category of a message, and says who gets it then. */
export function CategoryField({ value, onChange, error }: { value: string; onChange: (id: string) => void; error?: string | undefined }) {
  const { data } = useCategories(useAppId())
  const categories = data?.items ?? []
  const chosen = categories.find(({ id }) => id === value)
  const isGone = value !== '' && data !== undefined && chosen === undefined
  const hint =
    value === ''
      ? 'A topic that people can unsubscribe from in your app.'
      : isGone
        ? 'This category was deleted: choose another one.'
        : chosen && whoIsIn(chosen)
  return (
    <Field label="Category" hint={hint} error={error}>
      {(control) => (
        <Select
          {...control}
          value={value}
          onChange={({ target }) => onChange(target.value)}
          options={[
            { value: '', label: 'None' },
            ...categories.map(({ id, name }) => ({ value: id, label: name })),
            ...(value !== '' && chosen === undefined ? [{ value, label: value }] : []),
          ]}
        />
      )}
    </Field>
  )
}
