const alphabet = '0123456789ABCDEFGHJKLMNPQRTUWXY'

/**
 * 统一社会信用代码 (GB 32100-2015): 18 characters without I, O, S, V, Z; the last is the check character,
 * modulus 31.
 */
export function creditCodeIsRight(code: string): boolean {
  if (!/^[0-9A-HJ-NPQRTUWXY]{18}$/.test(code)) return false
  let weight = 1
  let sum = 0
  for (const character of code.slice(0, 17)) {
    sum += alphabet.indexOf(character) * weight
    weight = (weight * 3) % 31
  }
  return alphabet[(31 - (sum % 31)) % 31] === code[17]
}
