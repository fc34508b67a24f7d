export interface Province {
  readonly adcode: string
  /** Short Chinese name, the same as `name` in the map file. */
  readonly name: string
  readonly nameEn: string
  /** Middle of the province's area, inside its borders. */
  readonly lng: number
  readonly lat: number
}

export const PROVINCES: readonly Province[] = [
  { adcode: '110000', name: '北京', nameEn: 'Beijing', lng: 116.42, lat: 40.19 },
  { adcode: '120000', name: '天津', nameEn: 'Tianjin', lng: 117.35, lat: 39.29 },
  { adcode: '130000', name: '河北', nameEn: 'Hebei', lng: 115.2, lat: 38.3 },
  { adcode: '140000', name: '山西', nameEn: 'Shanxi', lng: 112.3, lat: 37.57 },
  { adcode: '150000', name: '内蒙古', nameEn: 'Inner Mongolia', lng: 112.9, lat: 43 },
  { adcode: '210000', name: '辽宁', nameEn: 'Liaoning', lng: 122.6, lat: 41.28 },
  { adcode: '220000', name: '吉林', nameEn: 'Jilin', lng: 126.2, lat: 43.67 },
  { adcode: '230000', name: '黑龙江', nameEn: 'Heilongjiang', lng: 127.77, lat: 47.86 },
  { adcode: '310000', name: '上海', nameEn: 'Shanghai', lng: 121.44, lat: 31.07 },
  { adcode: '320000', name: '江苏', nameEn: 'Jiangsu', lng: 119.49, lat: 32.97 },
  { adcode: '330000', name: '浙江', nameEn: 'Zhejiang', lng: 120.11, lat: 29.17 },
  { adcode: '340000', name: '安徽', nameEn: 'Anhui', lng: 117.23, lat: 31.82 },
  { adcode: '350000', name: '福建', nameEn: 'Fujian', lng: 118, lat: 26.06 },
  { adcode: '360000', name: '江西', nameEn: 'Jiangxi', lng: 115.73, lat: 27.61 },
  { adcode: '370000', name: '山东', nameEn: 'Shandong', lng: 118.18, lat: 36.36 },
  { adcode: '410000', name: '河南', nameEn: 'Henan', lng: 113.62, lat: 33.88 },
  { adcode: '420000', name: '湖北', nameEn: 'Hubei', lng: 112.27, lat: 30.97 },
  { adcode: '430000', name: '湖南', nameEn: 'Hunan', lng: 111.76, lat: 27.63 },
  { adcode: '440000', name: '广东', nameEn: 'Guangdong', lng: 113.42, lat: 23.32 },
  { adcode: '450000', name: '广西', nameEn: 'Guangxi', lng: 108.79, lat: 23.82 },
  { adcode: '460000', name: '海南', nameEn: 'Hainan', lng: 109.76, lat: 19.19 },
  { adcode: '500000', name: '重庆', nameEn: 'Chongqing', lng: 107.88, lat: 30.06 },
  { adcode: '510000', name: '四川', nameEn: 'Sichuan', lng: 102.7, lat: 30.63 },
  { adcode: '520000', name: '贵州', nameEn: 'Guizhou', lng: 106.88, lat: 26.81 },
  { adcode: '530000', name: '云南', nameEn: 'Yunnan', lng: 101.49, lat: 24.97 },
  { adcode: '540000', name: '西藏', nameEn: 'Tibet', lng: 88.45, lat: 31.49 },
  { adcode: '610000', name: '陕西', nameEn: 'Shaanxi', lng: 108.88, lat: 35.19 },
  { adcode: '620000', name: '甘肃', nameEn: 'Gansu', lng: 103.8, lat: 35.9 },
  { adcode: '630000', name: '青海', nameEn: 'Qinghai', lng: 96.04, lat: 35.67 },
  { adcode: '640000', name: '宁夏', nameEn: 'Ningxia', lng: 106.17, lat: 37.27 },
  { adcode: '650000', name: '新疆', nameEn: 'Xinjiang', lng: 85.19, lat: 41.12 },
  { adcode: '710000', name: '台湾', nameEn: 'Taiwan', lng: 120.97, lat: 23.74 },
  { adcode: '810000', name: '香港', nameEn: 'Hong Kong', lng: 114.13, lat: 22.38 },
  { adcode: '820000', name: '澳门', nameEn: 'Macao', lng: 113.56, lat: 22.16 },
]

const byCode = new Map(PROVINCES.map((province) => [province.adcode, province]))

/** The province a region code of any level lies in. */
export function provinceOf(code: string): Province | undefined {
  return byCode.get(`${code.slice(0, 2)}0000`)
}
