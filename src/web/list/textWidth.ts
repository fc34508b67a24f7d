/**
 * Rough width in pixels of a 13 px text: Chinese characters are square, digits and capitals wider
 * than small letters.
 */
export const textWidth = (text: string): number =>
  Math.ceil(
    [...text].reduce(
      (sum, char) => sum + (char.charCodeAt(0) > 0x2e7f ? 13 : /[0-9A-Z¥]/.test(char) ? 8.4 : 7),
      0,
    ),
  )
