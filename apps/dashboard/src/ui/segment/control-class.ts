import { inputClass } from '../TextInput.tsx'

/** The CSS classes of fields in a row with other fields: each is only as wide as its text. */
export const controlClass = `${inputClass.replace('w-full ', '')} h-8`
