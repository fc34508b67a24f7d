/** Numbers of Chinese identity cards: region, day of birth, sequence and a check digit. */

const weights = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]
const digits = '10X98765432'

const checkDigit = (first: string): string => {
  const sum = weights.reduce((total, weight, i) => total + weight * Number(first[i]), 0)
  return digits[sum % 11] as string
}

export function isIdCard(text: string): boolean {
  if (!/^[1-9]\d{16}[\dX]$/.test(text)) return false
  const day = `${text.slice(6, 10)}-${text.slice(10, 12)}-${text.slice(12, 14)}`
  const born = new Date(`${day}T00:00:00Z`)
  // the thirtieth of February is the second of March to a machine
  const exists = !Number.isNaN(born.getTime()) && born.toISOString().startsWith(day)
  return exists && text[17] === checkDigit(text)
}

/** As people may see them who need not know whose they are. */
export const maskedIdCard = (text: string): string =>
  `${text.slice(0, 3)}${'*'.repeat(11)}${text.slice(-4)}`
export const maskedName = (name: string): string => {
  const [first = '', ...rest] = name
  return first + '*'.repeat(Math.max(rest.length, 1))
}
