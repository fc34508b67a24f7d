/** A rough guess that only encourages; the server's rules decide. */
export function strength(password: string): 'weak' | 'fair' | 'strong' {
  const kinds = [/\p{Ll}/u, /\p{Lu}/u, /\d/, /[^\p{L}\d]/u].filter((kind) =>
    kind.test(password),
  ).length
  const different = new Set(password).size
  if (password.length < 8 || different < 5 || kinds < 2) return 'weak'
  return password.length >= 12 && kinds >= 3 ? 'strong' : 'fair'
}
