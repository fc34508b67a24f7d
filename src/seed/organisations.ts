import type { DemoOrganisation } from './types.ts'

type Row = readonly [
  key: string,
  parentKey: string | null,
  kind: DemoOrganisation['kind'],
  name: string,
  contactName: string,
  contactPhone: string,
  servicePhone: string,
  regionCode: string,
  address: string,
]

const ROWS: readonly Row[] = [
  ['platform', null, 'PLATFORM', '货道平台', '陈国栋', '13828801001', '400-830-1866', '440305', '粤海街道科苑路15号科兴科学园B栋12层'],
  ['agent-south', 'platform', 'AGENT', '华南智能零售', '林志强', '13928402016', '0755-86531200', '440304', '深南大道1006号国际创新中心A座8层'],
  ['agent-east', 'platform', 'AGENT', '江海自助零售', '沈佳怡', '13857103342', '0571-87936600', '330106', '文三路478号华星时代广场5层'],
  ['agent-west', 'platform', 'AGENT', '川楚智慧科技', '罗建平', '13980671925', '028-85216700', '510107', '天府大道北段1480号德商国际C座6层'],
  ['op-xianda', 'agent-south', 'OPERATOR', '深圳鲜达运营', '周敏', '13510086621', '0755-26508811', '440305', '高新中一道9号软件大厦3层'],
  ['op-huikang', 'agent-south', 'OPERATOR', '惠康医药', '黄淑贞', '13602537748', '0755-83214567', '440303', '梨园路333号招商开元中心2栋7层'],
  ['op-huaqiang', 'agent-south', 'OPERATOR', '华强便民', '何俊杰', '13714452093', '0755-83765520', '440304', '华强北路1019号华强广场B座11层'],
  ['op-nanshan', 'agent-east', 'OPERATOR', '南山文旅', '许文博', '13959270618', '0592-5068860', '350203', '湖滨南路57号金源大厦9层'],
  ['op-kouan', 'agent-east', 'OPERATOR', '口岸服务', '顾海峰', '13816530274', '021-62351180', '310112', '申长路988号虹桥万科中心2号楼4层'],
  ['op-xiaoyuan', 'agent-west', 'OPERATOR', '校园鲜', '杨帆', '13627208851', '027-87650932', '420111', '珞喻路727号创意城商务楼10层'],
  ['sponsor', 'agent-south', 'SPONSOR', '青柠饮品', '蔡雨桐', '13418862507', '0755-29117733', '440306', '新安街道创业二路18号4层'],
  ['supplier', 'op-xianda', 'SUPPLIER', '粤港商贸供应链', '郑伟鹏', '13751190836', '0755-27735500', '440309', '民治街道工业东路28号仓储中心2号库'],
  ['school', 'agent-south', 'SCHOOL', '南新实验学校', '冯晓琳', '13823677190', '0755-26069988', '440305', '南头街道南新路2096号'],
  ['hospital', 'agent-south', 'HOSPITAL', '宝惠医院', '曾德明', '13590412268', '0755-27788120', '440306', '西乡街道宝民二路118号'],
  ['tenant', 'op-xianda', 'LANE_TENANT', '小橘子文创', '叶思琪', '13145987320', '0755-86113420', '440305', '沙河街道华侨城创意园东区B2栋'],
]

export const organisations: readonly DemoOrganisation[] = ROWS.map(
  ([key, parentKey, kind, name, contactName, contactPhone, servicePhone, regionCode, address]) => ({
    key,
    parentKey,
    kind,
    name,
    contactName,
    contactPhone,
    servicePhone,
    regionCode,
    address,
  }),
)
