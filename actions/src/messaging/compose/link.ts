/** Stands in a link where the token goes. */
export const place = '{token}'

/** A link with the token in its place. */
export const placed = (link: string, token: string): string => link.replace(place, () => token)
