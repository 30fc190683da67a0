/** An upload and what is made of it have at most this many bytes: what Android and iOS load for a notification. */
export const mostBytes = 1_048_576
/** A picture has at most this many pixels on each side. */
export const mostSide = 4_096

/** The formats that can be uploaded, by their media types. */
export const formats = { 'image/jpeg': 'jpeg', 'image/png': 'png', 'image/webp': 'webp', 'image/gif': 'gif' } as const
export type PictureFormat = (typeof formats)[keyof typeof formats]

export type MediaType = 'image/jpeg' | 'image/png' | 'image/gif'
/** A picture as it is served. */
export type Picture = { name: string; mediaType: MediaType; width: number; height: number; bytes: Buffer }

const endings: Record<MediaType, string> = { 'image/jpeg': 'jpg', 'image/png': 'png', 'image/gif': 'gif' }

/** Gives the file name in a picture's address. iOS tells the type of a picture by how its address ends. */
export const fileOf = ({ name, mediaType }: Pick<Picture, 'name' | 'mediaType'>): string => `${name}.${endings[mediaType]}`

/** Reads the name from a picture's file name; undefined when no picture can have it. */
export const nameOf = (file: string): string | undefined => /^([A-Za-z0-9_-]{43})\.(?:jpg|png|gif)$/.exec(file)?.[1]
