// Validates files of WGSL by Tint, which is in the npm package `webgpu` (Dawn). Dawn's backend `null` needs no GPU.
import { create } from 'webgpu';
import fs from 'node:fs';

const gpu = create(['backend=null', 'enable-dawn-features=allow_unsafe_apis']);
const adapter = await gpu.requestAdapter();
const device = await adapter.requestDevice({ requiredFeatures: ['shader-f16', 'subgroups'] });
let valid = 0;
let invalid = 0;
for (const file of fs.readdirSync(process.argv[2])) {
  const code = fs.readFileSync(`${process.argv[2]}/${file}`, 'utf8');
  device.pushErrorScope('validation');
  const info = await device.createShaderModule({ code }).getCompilationInfo();
  await device.popErrorScope();
  const error = info.messages.find((message) => message.type === 'error');
  if (error) {
    console.log(`${file}:${error.lineNum}: ${error.message}`);
    invalid += 1;
  } else {
    valid += 1;
  }
}
console.log(`${valid} valid, ${invalid} invalid`);
process.exit(invalid === 0 ? 0 : 1);
